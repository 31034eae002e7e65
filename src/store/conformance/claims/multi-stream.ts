import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { refuse } from "../../../contract/errors.ts";
import type { Transaction } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import {
  begin,
  blindly,
  countTo,
  idOf,
  keep,
  moreLines,
  newNotebook,
  textsOf,
} from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B, C, D] = [idOf(1), idOf(2), idOf(3), idOf(4)];

export function multiStream({ it }: Suite): void {
  it("creates, continues and forks several streams in one transaction", async ({ open }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id, { lines: ["1", "2"] }));
    const outcome = await store.transact(
      blindly(
        moreLines({ id: A, seq: 2 }, { lines: ["3"] }),
        newNotebook(C, { lines: ["new"] }),
        newNotebook(D, { base: { id: B, seq: 1 }, lines: ["forked"] }),
      ),
    );
    expect(outcome).toMatchObject({
      kind: "committed",
      streams: [
        { id: A, seq: 3 },
        { id: C, seq: 1 },
        { id: D, seq: 2 },
      ],
    });
    expect(textsOf(await readLog(store, A))).toEqual(["1", "2", "3"]);
    expect(textsOf(await readLog(store, C))).toEqual(["new"]);
    expect(textsOf(await readLog(store, D))).toEqual(["1", "forked"]);
  });

  it("stores no append if the last of several fails", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const before = await readEverything(store);
    const appends = [
      moreLines({ id: A, seq: 1 }),
      newNotebook(B, { names: ["red"] }),
      newNotebook(C, { key: A }),
    ];
    await expect(store.transact(blindly(...appends))).rejects.toThrow();
    expect(await readEverything(store)).toEqual(before);
  });

  it("passes a decision its streams in the order in which it declared them", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { key: "a" }));
    await keep(store, begin(B));
    let seen: unknown;
    await store.transact({
      streams: [{ id: B }, { id: C }, { kind: "session", owner: "ann", key: "a" }, { id: A }],
      decide: ({ streams }) => {
        seen = streams.map((stream) => stream?.id);
        return { refused: refuse("invalid_input", "only looking") };
      },
    });
    expect(seen).toEqual([B, undefined, A, A]);
  });

  it("creates 200 streams in one transaction and writes to them in another", async ({ open }) => {
    const store = await open();
    const ids = countTo(200).map(idOf);
    const appends = ids.map((id) => newNotebook(id, { listing: { status: "active" } }));
    await store.transact(blindly(...appends));
    const suspend: Transaction = {
      streams: ids.map((id) => ({ id })),
      decide: ({ streams }) => ({
        appends: streams.flatMap((stream) =>
          stream ? moreLines(stream, { listing: { status: "suspended" } }) : [],
        ),
      }),
    };
    const outcome = await store.transact(suspend);
    expect(outcome.kind === "committed" && outcome.streams.map(({ id }) => id)).toEqual(ids);
    const filter = { status: ["suspended"] };
    const page = await store.list({ kind: "session", owner: "ann", filter, limit: 999 });
    expect(page.streams).toHaveLength(200);
    const feed = await readFeed(store, "");
    expect(feed.map(({ seq }) => seq)).toEqual([...ids.map(() => 1), ...ids.map(() => 2)]);
    expect(new Set(feed.slice(0, 200).map(({ stream }) => stream))).toEqual(new Set(ids));
    expect(new Set(feed.slice(200).map(({ stream }) => stream))).toEqual(new Set(ids));
  });

  it("shows a reader all streams of a transaction or none", async ({ open }) => {
    const [writer, reader] = [await open(), await open()];
    const ids = [A, B, C];
    for (const id of ids) await keep(writer, begin(id));
    let isWriting = true;
    const writing = (async () => {
      for (const _ of countTo(60)) {
        await writer.transact({
          streams: ids.map((id) => ({ id })),
          decide: ({ streams }) => ({
            appends: streams.flatMap((stream) => (stream ? moreLines(stream) : [])),
          }),
        });
      }
    })().finally(() => {
      isWriting = false;
    });
    for (let turn = 0; isWriting; turn += 1) {
      // A store with synchronous reads would never let the writer run.
      if (turn % 8 === 7) await setImmediate();
      const page = await reader.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
      expect(new Set(page.streams.map(({ seq }) => seq)).size).toBe(1);
    }
    await writing;
  });
}
