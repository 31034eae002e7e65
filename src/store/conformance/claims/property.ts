import fc from "fast-check";
import { expect } from "vitest";
import type { RowQuery } from "../../../contract/stream.ts";
import { acquireLease, releaseLease, renewLease } from "../../leases.ts";
import { loadHeadBefore, loadStream, readRows } from "../../read-streams.ts";
import type { ListFilter, Outcome, StreamStore } from "../../stream-store.ts";
import { countTo, idOf } from "../notebook.ts";
import { aim, type Operation, operations, transactionOf } from "../random-operations.ts";
import { readEverything } from "../read-everything.ts";
import type { Scene, Suite } from "../suite.ts";

export function property(suite: Suite): void {
  const { it, inScene, runs } = suite;
  it("behaves like the reference in random sequences of operations", async () => {
    await fc.assert(
      fc.asyncProperty(operations, (asked) => inScene((scene) => compare(scene, suite, asked))),
      // A busy machine does fewer runs, and a long search for the smallest counterexample ends before the test does.
      { numRuns: runs, interruptAfterTimeLimit: 12_000 },
    );
  });
}

async function compare(
  scene: Scene,
  { reference, mortals }: Pick<Suite, "reference" | "mortals">,
  asked: readonly Operation[],
) {
  const mortal = mortals();
  // Two stores with clocks of their own would not see a lease end at the same moment, so no holder dies there.
  const { leaseMs, ...place } = mortal.place;
  const expected = reference(place);
  let [one, other] = [await scene.open(place), await scene.open(place)];

  const purged = new Set<number>();
  for (const each of asked) {
    const operation = aim(each, await liveIn(expected), purged);
    // An id is a UUID, which is never reused for another stream.
    if ("stream" in operation && purged.has(operation.stream)) continue;
    if (operation.do === "purge") purged.add(operation.stream);
    if (operation.do === "die" && leaseMs === undefined) await mortal.die(operation.holder);
    if (operation.do === "reopen") {
      await scene.close(one);
      one = await scene.open(place);
    }
    const actual = await perform(one, operation);
    expect(actual).toEqual(await perform(expected, operation));
    [one, other] = [other, one];
  }
  expect(await observe(one)).toEqual(await observe(expected));
  await expectHeads(other, expected);
}

async function liveIn(store: StreamStore): Promise<number[]> {
  const loaded = await Promise.all(countTo(12).map((n) => loadStream(store, { id: idOf(n) })));
  return countTo(12).filter((n) => loaded[n - 1]);
}

/** Returns the values that two stores must agree on. */
async function perform(store: StreamStore, operation: Operation): Promise<unknown> {
  if (operation.do === "reopen") return undefined;
  if ("body" in operation) return withoutWords(await store.transact(transactionOf(operation)));
  const id = idOf(operation.stream);
  switch (operation.do) {
    case "purge":
      return store.purge(id, 0);
    case "die":
      return undefined;
    case "acquire":
    case "take": {
      if (!(await loadStream(store, { id }))) return "nothing to lease";
      const holder = { name: operation.holder, pid: 1, start_time: null, boot_id: null };
      const { granted } = await acquireLease(store, id, holder, operation.do === "take");
      return granted;
    }
    case "renew":
      return renewLease(store, id, operation.epoch);
    case "release":
      return releaseLease(store, id, operation.epoch);
  }
}

/** Each store has its own words for a refusal. */
function withoutWords(outcome: Outcome): unknown {
  return outcome.kind === "refused" ? outcome.refusal.error : outcome;
}

async function observe(store: StreamStore): Promise<unknown> {
  const { streams, lists, names, feed } = await readEverything(store);
  const rows = [];
  for (const { stream } of streams) {
    for (const query of stream ? rowQueries(stream.seq) : []) {
      rows.push({ id: stream?.id, query, found: await readRows(store, stream?.id ?? "", query) });
    }
  }
  const filtered = [];
  for (const owner of ["ann", null]) {
    for (const filter of listFilters) {
      const { streams } = await store.list({ kind: "session", owner, filter, limit: 99 });
      filtered.push({ owner, filter, ids: streams.map(({ id }) => id).sort() });
    }
  }
  const tallies = [];
  for (const owner of ["ann", "bob"]) {
    tallies.push((await store.tally("session", owner)).toSorted(byValue));
  }
  return {
    streams: streams.map((each) => ({ ...each, events: each.events.map(withoutHash) })),
    // Streams of the same time may come in any stable order.
    lists: lists.map((list) => ({ ...list, streams: list.streams.sort(byId) })),
    names,
    feed: feed.map(withoutHash),
    rows,
    filtered,
    tallies,
  };
}

function rowQueries(seq: number): RowQuery[] {
  const middle = Math.ceil(seq / 2);
  return [
    { kind: "item", at: middle },
    { kind: "item", key: "k" },
    { kind: "item", key: "k", at: middle, limit: 1 },
    { kind: "item", limit: 2 },
    { kind: "item", after: middle, limit: 1 },
    { kind: "item", before: seq, limit: 2 },
    { kind: "item", before: middle, after: 1, limit: 1, at: seq - 1 },
  ];
}

const listFilters: readonly ListFilter[] = [
  { status: ["active", "failed"] },
  { agent: "coder", key_prefix: "key " },
  { created: { before: 2 }, activity: { after: 2 } },
  { waiting: true, activity: { after: 1 } },
  { unsettled: true },
  { pinned: true },
  { pinned: false, waiting: false, status: ["active", "suspended"] },
  { recent: { value: "active", after: 5 } },
  { unsettled: true, status: ["active", "suspended"], agent: "coder" },
  { activity: { before: 3 }, status: ["suspended"] },
];

/** A store may keep fewer heads than the reference, but none that the reference does not know. */
async function expectHeads(store: StreamStore, expected: StreamStore): Promise<void> {
  for (const n of countTo(12)) {
    const { id = "", seq: end = 0 } = (await loadStream(expected, { id: idOf(n) })) ?? {};
    for (const seq of countTo(end)) {
      const stored = await loadHeadBefore(store, id, seq);
      if (!stored) continue;
      expect(stored.seq).toBeLessThanOrEqual(seq);
      expect(stored).toEqual(await loadHeadBefore(expected, id, stored.seq));
    }
  }
}

function withoutHash<T extends { readonly hash: string }>({ hash, ...event }: T): Omit<T, "hash"> {
  return event;
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}

function byValue(a: { readonly value: string }, b: { readonly value: string }): number {
  return a.value < b.value ? -1 : 1;
}
