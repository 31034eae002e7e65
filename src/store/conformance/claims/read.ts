import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import type { StreamPart, StreamRead, StreamStore } from "../../stream-store.ts";
import { begin, idOf, keep, moreLines, rowOf, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const [A, B, C, NOBODY] = [idOf(1), idOf(2), idOf(3), idOf(9)];
const rows = [{ kind: "item" }, { kind: "item", before: 3, limit: 1 }, { kind: "item", at: 2 }];
const events = [
  { after: 1, limit: 2 },
  { before: 3, limit: 5 },
];
const heads = [3, 99];

export function read({ it }: Suite): void {
  it("returns the same parts for many streams as for each one alone, also for forks", async ({
    open,
  }) => {
    const store = await open();
    await fill(store);
    const reads = [A, B, C].map((id) => ({ ref: { id }, rows, events, heads }));
    expect(await store.read(reads)).toEqual(
      await Promise.all([A, B, C].map((id) => oneByOne(store, id))),
    );
  });

  it("returns streams in the requested order, also if one is requested twice", async ({ open }) => {
    const store = await open();
    await fill(store);
    const parts = await store.read([C, A, B, A].map((id) => ({ ref: { id } })));
    expect(parts.map((part) => part?.stream.id)).toEqual([C, A, B, A]);
    expect(parts[0]).toMatchObject({ rows: [], events: [], heads: [] });
  });

  it("finds streams by kind, owner and key, and returns nothing for unknown ones", async ({
    open,
  }) => {
    const store = await open();
    await fill(store);
    const refs: StreamRead["ref"][] = [
      { kind: "session", owner: "ann", key: B },
      { id: NOBODY },
      { kind: "session", owner: "bob", key: B },
      { kind: "task", owner: "ann", key: B },
    ];
    const parts = await store.read(refs.map((ref) => ({ ref, rows, events })));
    expect(parts.map((part) => part?.stream.id)).toEqual([B, undefined, undefined, undefined]);
    expect(await store.read([])).toEqual([]);
  });

  it("returns all streams as of one moment", async ({ open }) => {
    const store = await open();
    await fill(store);
    const gaps = new Set<number>();
    let reading = true;
    const writing = writeBoth(store, () => reading);
    for (let round = 0; round < 40; round++) {
      const [a, b] = await store.read([{ ref: { id: A } }, { ref: { id: B } }]);
      gaps.add((a?.stream.seq ?? 0) - (b?.stream.seq ?? 0));
      await setImmediate();
    }
    reading = false;
    await writing;
    expect([...gaps]).toEqual([0]);
  });
}

/** Repeatedly writes one line to each of both, each time in one transaction. */
async function writeBoth(store: StreamStore, goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    await store.transact({
      streams: [{ id: A }, { id: B }],
      decide: ({ streams }) => ({
        appends: streams.flatMap((stream) => (stream ? [moreLines(stream)] : [])),
      }),
    });
    await setImmediate();
  }
}

/** A and B have the same number of events; C continues A's second. */
async function fill(store: StreamStore): Promise<void> {
  for (const id of [A, B]) {
    await keep(store, begin(id, { lines: ["1", "2"], rows: [rowOf(1, 1, { v: 1, of: id })] }));
    await keep(store, write(id, { lines: ["3"], rows: [rowOf(1, 3, { v: 3 }), rowOf(3, 3, {})] }));
  }
  const more = { lines: ["x"], rows: [rowOf(3, 3, { forked: true })] };
  await keep(store, begin(C, { base: { id: A, seq: 2 }, ...more }));
}

async function oneByOne(store: StreamStore, id: string) {
  const alone = async (read: Omit<StreamRead, "ref">) => {
    const [part] = await store.read([{ ref: { id }, ...read }]);
    if (!part) throw new Error(`${id} is missing`);
    return part;
  };
  const each = async <T>(asked: readonly T[], read: (one: T) => Promise<StreamPart>) =>
    Promise.all(asked.map(read));
  return {
    stream: (await alone({})).stream,
    rows: (await each(rows, (query) => alone({ rows: [query] }))).flatMap((part) => part.rows),
    events: (await each(events, (page) => alone({ events: [page] }))).flatMap(
      (part) => part.events,
    ),
    heads: (await each(heads, (seq) => alone({ heads: [seq] }))).flatMap((part) => part.heads),
  };
}
