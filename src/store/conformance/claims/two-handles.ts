import { expect } from "vitest";
import { loadStream, readRows } from "../../read-streams.ts";
import { readFeed } from "../follow-feed.ts";
import { begin, countTo, idOf, keep, rowOf, textsOf, write } from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import { runWriter } from "../run-writer.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B] = [idOf(1), idOf(2)];

export function twoHandles({ it, durable }: Suite): void {
  it("store every append if both write to one stream at once", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A, { lines: ["begun"] }));
    await Promise.all(
      countTo(40).flatMap((n) => [
        keep(one, write(A, { lines: [`one ${n}`] })),
        keep(other, write(A, { lines: [`other ${n}`] })),
      ]),
    );
    const texts = textsOf(await readLog(one, A));
    expect(texts).toHaveLength(81);
    expect(new Set(texts).size).toBe(81);
    expect(await loadStream(other, { id: A })).toMatchObject({ seq: 81, head: { lines: 81 } });
    expect(await readEverything(one)).toEqual(await readEverything(other));
  });

  it("create a key only once if both try, and show the existing stream to the other", async ({
    open,
  }) => {
    const [one, other] = [await open(), await open()];
    for (const n of countTo(10)) {
      const [left, right] = [idOf(2 * n), idOf(2 * n + 1)];
      const outcomes = await Promise.all([
        one.transact(begin(left, { key: `key ${n}` })),
        other.transact(begin(right, { key: `key ${n}` })),
      ]);
      const winner = await loadStream(one, { kind: "session", owner: "ann", key: `key ${n}` });
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["committed", "refused"]);
      expect(outcomes.find(({ kind }) => kind === "refused")).toMatchObject({
        refusal: { error: "session_exists", details: { id: winner?.id } },
      });
      expect(await loadStream(other, { kind: "session", owner: "ann", key: `key ${n}` })).toEqual(
        winner,
      );
    }
  });

  it("see at once what the other stored", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A, { rows: [rowOf(1, 1, { n: 1 })], names: ["red"] }));
    await loadStream(other, { id: A });
    await keep(one, write(A, { lines: ["two"], rows: [rowOf(1, 2, { n: 2 })], names: ["blue"] }));
    expect(await loadStream(other, { id: A })).toMatchObject({ seq: 2, head: { last: "two" } });
    expect(await readRows(other, A, { kind: "item" })).toMatchObject([{ data: { n: 2 } }]);
    expect(await other.findByName("ann", "blue", { limit: 9 })).toMatchObject([{ id: A }]);
    expect(await keep(other, write(A))).toMatchObject({ seq: 3 });
    expect(await keep(one, write(A))).toMatchObject({ seq: 4 });
  });

  it("continue to work after the other is closed", async ({ open, close }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    await keep(other, begin(B));
    await close(other);
    expect(await keep(one, write(B))).toMatchObject({ seq: 2 });
    expect(await readFeed(one, "")).toHaveLength(3);
  });

  if (durable) {
    it("store every append if two processes write to one stream at once", async ({
      open,
      folder,
    }) => {
      const store = await open();
      await keep(store, begin(A));
      const writer = runWriter(durable.writer, folder, [A]);
      try {
        await writer.acknowledged(1);
        for (const n of countTo(50)) await keep(store, write(A, { lines: [`here ${n}`] }));
        await writer.acknowledged(50);
      } finally {
        await writer.kill();
      }
      const texts = textsOf(await readLog(store, A));
      expect(texts.filter((text) => `${text}`.startsWith("here"))).toHaveLength(50);
      for (const { text } of writer.acknowledgements) expect(texts).toContain(text);
      expect(await loadStream(store, { id: A })).toMatchObject({
        seq: texts.length,
        head: { lines: texts.length },
      });
    });
  }
}
