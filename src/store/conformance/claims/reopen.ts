import { expect } from "vitest";
import { acquireLease } from "../../leases.ts";
import { loadStream, readEvents, readFeedEnd } from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import { begin, countTo, idOf, keep, keyed, rowOf, textsOf, write } from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import { runWriter } from "../run-writer.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const ann = { name: "ann", pid: 1, start_time: 5, boot_id: "boot" };

export function reopen({ it, durable }: Suite): void {
  it("finds everything unchanged", async ({ open, close }) => {
    const before = await open();
    await fill(before);
    const everything = await readEverything(before);
    expect(everything.feed).toHaveLength(6);
    await close(before);

    const after = await open();
    expect(await readEverything(after)).toEqual(everything);
    expect(await loadStream(after, { id: A })).toMatchObject({ lease: { holder: ann } });
  });

  it("continues where it stopped", async ({ open, close }) => {
    const before = await open();
    await fill(before);
    const end = await readFeedEnd(before);
    await close(before);

    const after = await open();
    expect(await keep(after, write(A, { lines: ["next"] }))).toMatchObject({ seq: 4 });
    expect(textsOf(await readFeed(after, end)).at(-1)).toBe("next");
    expect(await after.transact(begin(idOf(4), { key: A }))).toMatchObject({ kind: "refused" });
  });

  it("remembers answered requests", async ({ open, close }) => {
    const before = await open();
    await keep(before, begin(A));
    await keep(before, keyed(write(A), "k", "one body"));
    await close(before);

    const after = await open();
    const replayed = { kind: "replayed", id: A, from: 2, to: 2 };
    expect(await after.transact(keyed(write(A), "k", "one body"))).toEqual(replayed);
    expect(await after.transact(keyed(write(A), "k", "another body"))).toMatchObject({
      refusal: { error: "idempotency_conflict" },
    });
  });

  it("has stored each write that was in progress when it was closed, or rejected it", async ({
    open,
    close,
  }) => {
    const before = await open();
    await keep(before, begin(A, { lines: ["begun"] }));
    const inFlight = countTo(32).map((n) => keep(before, write(A, { lines: [`line ${n}`] })));
    const [settled] = await Promise.all([Promise.allSettled(inFlight), close(before)]);

    const after = await open();
    const texts = textsOf(await readLog(after, A));
    for (const [index, { status }] of settled.entries()) {
      if (status === "fulfilled") expect(texts).toContain(`line ${index + 1}`);
    }
    expect(await loadStream(after, { id: A })).toMatchObject({ seq: texts.length });
  });

  if (!durable) return;

  it("has every acknowledged append of a process that was killed", async ({
    open,
    close,
    folder,
  }) => {
    const ids = [A, B, C];
    const first = await open();
    for (const id of ids) await keep(first, begin(id, { lines: ["begun", "so"] }));
    await close(first);

    for (const acknowledged of [1, 25, 120]) {
      const writer = runWriter(durable.writer, folder, ids);
      try {
        await writer.acknowledged(acknowledged);
      } finally {
        await writer.kill();
      }
      const store = await open();
      await expectWhole(store, ids);
      for (const { id, seq, text } of writer.acknowledgements) {
        const [event] = await readEvents(store, id, { after: seq - 1, limit: 1 });
        expect(event).toMatchObject({ seq, data: { text } });
      }
      await close(store);
    }
  });
}

async function fill(store: StreamStore): Promise<void> {
  const one = rowOf(1, 1, { n: 1 }, { key: "one" });
  await keep(store, begin(A, { lines: ["one"], rows: [one], names: ["red"] }));
  await keep(store, begin(B, { owner: "bob", kind: "task", names: ["red"] }));
  await keep(store, write(A, { lines: ["two", "three"], rows: [rowOf(1, 3, { n: 3 })] }));
  await keep(store, begin(C, { base: { id: A, seq: 2 }, lines: ["x", "y"], names: ["blue"] }));
  await acquireLease(store, A, ann);
}

async function expectWhole(store: StreamStore, ids: readonly string[]): Promise<void> {
  const feed = await readFeed(store, "");
  for (const id of ids) {
    const log = await readLog(store, id);
    const last = textsOf(log).at(-1);
    expect(log.map(({ seq }) => seq)).toEqual(countTo(log.length));
    expect(log.length % 2).toBe(0);
    expect(await loadStream(store, { id })).toMatchObject({
      seq: log.length,
      head: { lines: log.length, last },
    });
    const own = feed.filter(({ stream }) => stream === id);
    expect(own.map(({ seq, hash }) => [seq, hash])).toEqual(
      log.map(({ seq, hash }) => [seq, hash]),
    );
  }
}
