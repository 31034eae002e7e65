import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import type { Listing } from "../../../contract/stream.ts";
import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { StreamStore } from "../../stream-store.ts";
import { begin, blindly, idOf, keep, moreLines, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const [A, B, C, D, E] = [idOf(1), idOf(2), idOf(3), idOf(4), idOf(5)];

export function tally({ it }: Suite): void {
  it("counts streams and their waiting items by status, each stream once", async ({ open }) => {
    const store = await open();
    await fill(store);
    expect(await counted(store)).toEqual([
      { value: "active", streams: 3, sum: 3 },
      { value: "suspended", streams: 1, sum: 4 },
      { value: "über", streams: 1, sum: 0 },
    ]);
  });

  it("keeps owners and kinds apart, and is empty if there are no streams", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { owner: "ann", listing: { waiting: 1 } }));
    await keep(store, begin(B, { owner: "bob", listing: { status: "failed", waiting: 2 } }));
    await keep(store, begin(C, { owner: "ann", kind: "task", listing: { status: "todo" } }));
    const of = (kind: StreamKind, owner: string) => counted(store, kind, owner);
    expect(await of("session", "ann")).toEqual([{ value: "active", streams: 1, sum: 1 }]);
    expect(await of("session", "bob")).toEqual([{ value: "failed", streams: 1, sum: 2 }]);
    expect(await of("task", "ann")).toEqual([{ value: "todo", streams: 1, sum: 0 }]);
    expect(await of("task", "bob")).toEqual([]);
    expect(await of("session", "")).toEqual([]);
  });

  it("counts streams by their current values, without purged ones", async ({ open }) => {
    const store = await open();
    await fill(store);
    await keep(store, write(A, { listing: { status: "suspended", waiting: 0 } }));
    await keep(store, write(D, { listing: { status: "suspended", waiting: 1 } }));
    await store.purge(E, 0);
    expect(await counted(store)).toEqual([
      { value: "active", streams: 2, sum: 1 },
      { value: "suspended", streams: 2, sum: 1 },
    ]);
  });

  it("counts a fork separately", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"], listing: { waiting: 2 } }));
    await keep(store, begin(B, { base: { id: A, seq: 1 }, listing: { status: "created" } }));
    expect(await counted(store)).toEqual([
      { value: "active", streams: 1, sum: 2 },
      { value: "created", streams: 1, sum: 0 },
    ]);
  });

  it("is consistent while streams change", async ({ open }) => {
    const [store, other] = [await open(), await open()];
    for (const id of [A, B]) await keep(store, begin(id));
    let reading = true;
    let changes = 0;
    const writing = changeBoth(other, (done) => {
      changes = done;
      return reading;
    });
    const seen = [];
    for (let round = 0; round < 40 || changes <= 10; round++) {
      seen.push(await counted(store));
      await setImmediate();
    }
    reading = false;
    await writing;
    for (const tallies of seen) expect([BOTH_ACTIVE, BOTH_SUSPENDED]).toContainEqual(tallies);
  });
}

const BOTH_ACTIVE = [{ value: "active", streams: 2, sum: 0 }];
const BOTH_SUSPENDED = [{ value: "suspended", streams: 2, sum: 2 }];

const listings: readonly Partial<Listing>[] = [
  { status: "active", waiting: 2 },
  { status: "active", waiting: 1 },
  { status: "active", waiting: 0 },
  { status: "suspended", waiting: 4 },
  { status: "über", waiting: 0 },
];

async function fill(store: StreamStore): Promise<void> {
  for (const [index, listing] of listings.entries()) {
    await keep(store, begin(idOf(index + 1), { listing }));
  }
}

/** In a stable order. */
async function counted(store: StreamStore, kind: StreamKind = "session", owner = "ann") {
  const tallies = await store.tally(kind, owner);
  return tallies.toSorted((a, b) => (a.value < b.value ? -1 : 1));
}

/** Suspends both with a question each and resumes both, each time in one transaction. */
async function changeBoth(store: StreamStore, goesOn: (done: number) => boolean): Promise<void> {
  for (let seq = 1; goesOn(seq - 1); seq += 1) {
    const listing =
      seq % 2 === 1 ? { status: "suspended", waiting: 1 } : { status: "active", waiting: 0 };
    const appends = [A, B].map((id) => moreLines({ id, seq }, { listing }));
    await store.transact(blindly(...appends));
    await setImmediate();
  }
}
