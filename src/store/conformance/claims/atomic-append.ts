import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { renewLease } from "../../leases.ts";
import { loadHeadBefore, loadStream, readEvents, readRows } from "../../read-streams.ts";
import type { Append, NewEvent, StreamStore, Transaction } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import {
  begin,
  blindly,
  countTo,
  idOf,
  keep,
  keyed,
  moreLines,
  newNotebook,
  rowOf,
  write,
} from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B] = [idOf(1), idOf(2)];

export function atomicAppend({ it, inScene }: Suite): void {
  it("stores events, head, rows, names and listing together", async ({ open }) => {
    const store = await open();
    const rows = [rowOf(2, 2, { text: "two" })];
    await keep(store, begin(A, { lines: ["one", "two"], rows, names: ["red"] }));

    expect(await loadStream(store, { id: A })).toEqual({
      id: A,
      kind: "session",
      owner: "ann",
      key: A,
      seq: 2,
      head: { lines: 2, last: "two" },
      lease: null,
    });
    const { events } = newNotebook(A, { lines: ["one", "two"] });
    expect(await readEvents(store, A, { after: 0, limit: 9 })).toEqual(
      events.map((event) => ({ ...event, hash: expect.any(String), writer: A })),
    );
    expect(await readRows(store, A, { kind: "item" })).toEqual([
      { place: 2, nth: 0, seq: 2, key: null, data: { text: "two" } },
    ]);
    expect(await store.findByName("ann", "red", { limit: 9 })).toMatchObject([{ id: A }]);
    const page = await store.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
    expect(page).toMatchObject({ streams: [{ id: A, seq: 2 }], damaged: [], next: null });
  });

  it("returns the changed streams, in the order of the appends", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const outcome = await store.transact(blindly(newNotebook(B), moreLines({ id: A, seq: 1 })));
    expect(outcome).toEqual({
      kind: "committed",
      streams: [await loadStream(store, { id: B }), await loadStream(store, { id: A })],
    });
  });

  it("finds a stream by id and by kind, owner and key", async ({ open }) => {
    const store = await open();
    const stream = await keep(store, begin(A, { kind: "task", owner: "bob", key: "mine" }));
    expect(await loadStream(store, { id: A })).toEqual(stream);
    expect(await loadStream(store, { kind: "task", owner: "bob", key: "mine" })).toEqual(stream);
    expect(await loadStream(store, { kind: "task", owner: "ann", key: "mine" })).toBeUndefined();
    expect(await loadStream(store, { kind: "session", owner: "bob", key: "mine" })).toBeUndefined();
    expect(await loadStream(store, { kind: "task", owner: "bob", key: "MINE" })).toBeUndefined();
  });

  it("shows a decision the stream that its caller expected to be new", async ({ open }) => {
    const [store, other] = [await open(), await open()];
    const shown: unknown[] = [];
    const create = (of: StreamStore, key: string) =>
      of.transact({
        streams: [{ kind: "session", owner: "ann", key }],
        expectsNew: true,
        decide: ({ streams: [stream] }) => {
          shown.push(stream?.id);
          return { appends: stream ? [] : [newNotebook(key)] };
        },
      });
    expect(await create(store, A)).toMatchObject({
      kind: "committed",
      streams: [{ id: A, seq: 1 }],
    });
    for (const of of [store, other]) {
      expect(await create(of, A)).toEqual({ kind: "committed", streams: [] });
      expect(shown.at(-1)).toBe(A);
    }
    expect(await create(other, B)).toMatchObject({
      kind: "committed",
      streams: [{ id: B, seq: 1 }],
    });
    expect(await create(store, B)).toEqual({ kind: "committed", streams: [] });
    expect(shown.at(-1)).toBe(B);
  });

  it("returns nothing for a stream that does not exist", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    expect(await loadStream(store, { id: B })).toBeUndefined();
    expect(await loadHeadBefore(store, B, 9)).toBeUndefined();
    expect(await readEvents(store, B, { after: 0, limit: 9 })).toEqual([]);
    expect(await readRows(store, B, { kind: "item" })).toEqual([]);
    expect(await renewLease(store, B, 1)).toBe(false);
  });

  for (const [what, broken] of Object.entries(brokenAppends)) {
    it(`stores nothing of a decision that ${what}`, async ({ open }) => {
      const store = await open();
      await keep(store, begin(A));
      const before = await readEverything(store);

      // The valid append comes first, so that a store that saves while it goes is caught.
      const sound = newNotebook(B, { key: "sound", rows: [rowOf(1, 1, {})], names: ["red"] });
      const transaction = keyed(blindly(sound, broken), "k");
      await expect(store.transact(transaction)).rejects.toThrow();

      expect(await readEverything(store)).toEqual(before);
      expect(await store.transact(keyed(write(A), "k"))).toMatchObject({ kind: "committed" });
    });
  }

  it("passes an error that a decision throws to its own caller only", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const thrown = new Error("a decision broke");
    const failing: Transaction = {
      streams: [{ id: A }],
      decide: () => {
        throw thrown;
      },
    };
    const settled = await Promise.allSettled(
      [write(A), failing, write(A), failing, write(A)].map((each) => store.transact(each)),
    );
    expect(settled.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(settled[1]).toMatchObject({ reason: thrown });
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 4, head: { lines: 4 } });
  });

  it("shows a reader only complete appends", async ({ open }) => {
    const store = await open();
    const reader = await open();
    await keep(store, begin(A, { lines: ["1", "2", "3"] }));
    let isWriting = true;
    const writing = (async () => {
      for (const _ of countTo(60)) await keep(store, write(A, { lines: ["1", "2", "3"] }));
    })().finally(() => {
      isWriting = false;
    });
    for (let turn = 0; isWriting; turn += 1) {
      // A store with synchronous reads would never let the writer run.
      if (turn % 8 === 7) await setImmediate();
      const stream = await loadStream(reader, { id: A });
      expect(stream).toMatchObject({ head: { lines: stream?.seq } });
      expect((await readLog(reader, A)).length % 3).toBe(0);
    }
    await writing;
  });

  it("protects its data from callers that change the objects they passed or received", async ({
    open,
  }) => {
    const store = await open();
    const append = newNotebook(A, { lines: ["one"], rows: [rowOf(1, 1, { tags: ["x"] })] });
    await keep(store, blindly(append));
    const before = await readEverything(store);

    const shown = await readEverything(store);
    const loaded = await loadStream(store, { id: A });
    for (const held of [append, before.feed, shown, loaded]) scribbleOver(held);
    await store.transact({
      ...write(A),
      decide: ({ streams }) => {
        scribbleOver(streams);
        return { refused: { error: "invalid_input", message: "only scribbling", details: {} } };
      },
    });

    expect(await loadStream(store, { id: A })).toMatchObject({ head: { lines: 1, last: "one" } });
    expect(await readRows(store, A, { kind: "item" })).toMatchObject([{ data: { tags: ["x"] } }]);
    expect(await readLog(store, A)).toMatchObject([{ data: { text: "one" } }]);
    expect(await readFeed(store, "")).toMatchObject([{ data: { text: "one" } }]);
    expect(await loadHeadBefore(store, A, 1)).not.toMatchObject({ head: { last: "scribble" } });
  });

  it("protects a head from changes by a decision that runs at the same time", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    let seen: unknown;
    const scribbling: Transaction = {
      streams: [{ id: A }],
      decide: ({ streams }) => {
        seen = structuredClone(streams[0]?.head);
        scribbleOver(streams);
        return { refused: { error: "invalid_input", message: "only scribbling", details: {} } };
      },
    };
    const head = { lines: 2, last: "kept", at: new Date(0) };
    const writing: Transaction = {
      streams: [{ id: A }],
      decide: () => ({ appends: [{ ...moreLines({ id: A, seq: 1 }), head }] }),
    };
    await Promise.all([store.transact(writing), store.transact(scribbling)]);

    const kept = { lines: 2, last: "kept", at: "1970-01-01T00:00:00.000Z" };
    expect([{ lines: 1, last: "a line" }, kept]).toContainEqual(seen);
    expect((await loadStream(store, { id: A }))?.head).toEqual(kept);
  });

  it("links the events of a stream by their hashes", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["same", "same", "same"] }));
    await keep(store, write(A, { lines: ["same"] }));
    const hashes = (await readLog(store, A)).map(({ hash }) => hash);
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
    expect(new Set(hashes).size).toBe(4);
    expect((await readLog(store, A, 1)).map(({ hash }) => hash)).toEqual(hashes);

    // The same event of the same stream with a different previous event.
    await inScene(async (elsewhere) => {
      const other = await elsewhere.open();
      await keep(other, begin(A, { lines: ["another", "same", "same"] }));
      const others = (await readLog(other, A)).map(({ hash }) => hash);
      expect(others[1]).not.toBe(hashes[1]);
      expect(others[2]).not.toBe(hashes[2]);
    });
  });
}

const sound = moreLines({ id: A, seq: 1 }, { lines: ["two", "three"] });
const [two, three] = sound.events;

const brokenAppends: Readonly<Record<string, Append>> = {
  "repeats a number": { ...sound, events: numbered(1) },
  "leaves a gap before its events": { ...sound, events: numbered(3) },
  "leaves a gap between its events": { ...sound, events: numbered(2, 4) },
  "numbers its events backwards": { ...sound, events: numbered(3, 2) },
  "has no events": { ...sound, events: [] },
  "appends to a stream that does not exist": moreLines({ id: idOf(9), seq: 0 }),
  "creates an id that exists": newNotebook(A, { key: "another key" }),
  "creates a key that exists": newNotebook(idOf(3), { key: A }),
  "forks a stream that does not exist": newNotebook(idOf(3), { base: { id: idOf(9), seq: 1 } }),
  "forks after the end of a stream": newNotebook(idOf(3), { base: { id: A, seq: 2 } }),
  "has a body that cannot be stored as JSON": {
    ...sound,
    events: [two, three].flatMap((event) => (event ? { ...event, data: { big: 1n } } : [])),
  },
  "has a head that cannot be stored as JSON": { ...sound, head: { big: 1n } },
  "has a row that cannot be stored as JSON": { ...sound, rows: [rowOf(2, 2, { big: 1n })] },
};

function numbered(...seqs: readonly number[]): NewEvent[] {
  return seqs.flatMap((seq) => moreLines({ id: A, seq: seq - 1 }).events);
}

/** Tries to change every string inside; a store that returns frozen objects is as good as one that returns copies. */
function scribbleOver(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "string") Reflect.set(value, name, "scribble");
    else scribbleOver(member);
  }
}
