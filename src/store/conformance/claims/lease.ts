import { expect } from "vitest";
import { refuse } from "../../../contract/errors.ts";
import { acquireLease, releaseLease, renewLease } from "../../leases.ts";
import { loadStream } from "../../read-streams.ts";
import type { Holder, StreamStore, Transaction } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, moreLines, textsOf } from "../notebook.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B] = [idOf(1), idOf(2)];
const [ann, bob] = [holderOf("ann"), holderOf("bob")];

export function lease({ it, mortals, time }: Suite): void {
  it("shows every field of its holder", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const holders: readonly Holder[] = [
      { name: "full", pid: 7, start_time: 9, boot_id: "b", node: "n", machine: "m" },
      { name: "bare", pid: 7, start_time: null, boot_id: null, node: null, machine: null },
      { name: "older", pid: 7, start_time: null, boot_id: null },
    ];
    for (const holder of holders) {
      await acquire(store, A, holder, true);
      expect((await loadStream(store, { id: A }))?.lease?.holder).toEqual(holder);
    }
  });

  it("has no holder at first", async ({ open }) => {
    const store = await open();
    expect(await keep(store, begin(A))).toMatchObject({ lease: null });
  });

  it("is shown with its stream: when loaded, in lists and to decisions", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const epoch = await acquire(store, A, ann);
    const shown = { id: A, lease: { epoch, holder: ann, live: true } };
    expect(await loadStream(store, { id: A })).toMatchObject(shown);
    const page = await store.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
    expect(page.streams).toMatchObject([shown]);
    expect(await keep(store, writeUnder(epoch))).toMatchObject(shown);
  });

  it("is refused while a live holder has it, and the refusal names the holder", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A));
    const epoch = await acquire(store, A, ann);
    const refused = { granted: false, held: { epoch, holder: ann, live: true } };
    expect(await acquireLease(store, A, bob)).toEqual(refused);
    expect(await acquireLease(store, A, bob, false)).toEqual(refused);
    expect(await renewLease(store, A, epoch)).toBe(true);
  });

  it("can be taken from a live holder by force", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const epoch = await acquire(store, A, ann);
    const next = await acquire(store, A, bob, true);
    expect(next).toBeGreaterThan(epoch);
    expect(await loadStream(store, { id: A })).toMatchObject({
      lease: { epoch: next, holder: bob },
    });
  });

  it("can be taken from a dead holder at once", async ({ open }) => {
    const { place, die } = mortals();
    const store = await open(place);
    await keep(store, begin(A));
    const epoch = await acquire(store, A, ann);
    expect(await acquireLease(store, A, bob)).toMatchObject({ granted: false });
    await die("ann");
    expect(await acquire(store, A, bob)).toBeGreaterThan(epoch);
    expect(await loadStream(store, { id: A })).toMatchObject({ lease: { holder: bob } });
  });

  it("is shown as dead after its holder died, until someone acquires it", async ({ open }) => {
    const { place, die } = mortals();
    const store = await open(place);
    await keep(store, begin(A));
    const epoch = await acquire(store, A, ann);
    await die("ann");
    const shown = { id: A, lease: { epoch, holder: ann, live: false } };
    expect(await loadStream(store, { id: A })).toMatchObject(shown);
    const page = await store.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
    expect(page.streams).toMatchObject([shown]);
    let seen: unknown;
    await store.transact({
      streams: [{ id: A }],
      decide: ({ streams: [stream] }) => {
        seen = stream;
        return { refused: refuse("invalid_input", "only looking") };
      },
    });
    expect(seen).toMatchObject(shown);
    await acquire(store, A, bob);
    expect(await loadStream(store, { id: A })).toMatchObject({
      lease: { holder: bob, live: true },
    });
  });

  it("states the time within which it must be renewed", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const grant = await acquireLease(store, A, ann);
    if (!grant.granted) throw new Error("held by nobody, yet refused");
    expect(grant.renew_within).toBeGreaterThan(0);
    expect(await renewLease(store, A, grant.epoch)).toBe(true);
    expect(await loadStream(store, { id: A })).toMatchObject({
      lease: { epoch: grant.epoch, live: true },
    });
  });

  it("expires by time unless renewed, if its holder's process cannot be checked", async ({
    open,
  }) => {
    const { place, within, pass } = time();
    const [one, other] = [await open(), await open({ ...place, isAlive: () => null })];
    await keep(one, begin(A));
    const grant = await acquireLease(other, A, ann);
    if (!grant.granted) throw new Error("held by nobody, yet refused");
    const step = within(grant.renew_within);
    await pass(step);
    expect(await acquireLease(other, A, bob)).toMatchObject({ granted: false });
    expect(await loadStream(other, { id: A })).toMatchObject({
      lease: { holder: ann, live: true },
    });
    expect(await renewLease(other, A, grant.epoch)).toBe(true);
    await pass(step);
    expect(await acquireLease(other, A, bob)).toMatchObject({ granted: false });
    await pass(grant.renew_within - step);
    expect(await loadStream(other, { id: A })).toMatchObject({
      lease: { holder: ann, live: false },
    });
    expect(await acquire(other, A, bob)).toBeGreaterThan(grant.epoch);
    expect(await renewLease(other, A, grant.epoch)).toBe(false);
  });

  it("does not expire by time while its holder's process lives", async ({ open }) => {
    const { place, pass } = time();
    const store = await open(place);
    await keep(store, begin(A));
    const grant = await acquireLease(store, A, ann);
    await pass(2 * (place.leaseMs ?? 1e9));
    expect(await acquireLease(store, A, bob)).toMatchObject({ granted: false });
    expect(grant).toMatchObject({ granted: true });
  });

  it("is checked with every recorded field of its holder", async ({ open }) => {
    const asked: Holder[] = [];
    const store = await open({
      isAlive: (holder) => {
        asked.push(holder);
        return true;
      },
    });
    await keep(store, begin(A));
    const who = { pid: 4_194_303, start_time: 123_456, boot_id: "b-1" };
    const recorded = { name: "ann's laptop", ...who, node: "pid:[1]" };
    await acquire(store, A, recorded);
    await acquireLease(store, A, bob);
    await acquire(store, A, bob, true);
    await acquireLease(store, A, recorded);
    expect(asked).toContainEqual(recorded);
    expect(asked).toContainEqual({ name: "bob", pid: 2, start_time: null, boot_id: null });
  });

  it("is granted to only one of 16 holders that ask at once on two handles", async ({ open }) => {
    const stores = [await open(), await open()];
    for (const store of stores.slice(0, 1)) await keep(store, begin(A));
    const grants = await Promise.all(
      countTo(8).flatMap((n) =>
        stores.map((store, index) => acquireLease(store, A, holderOf(`${index} ${n}`))),
      ),
    );
    const granted = grants.filter((grant) => grant.granted);
    expect(granted).toHaveLength(1);
    const lease = stores[0] && (await loadStream(stores[0], { id: A }))?.lease;
    expect(granted).toMatchObject([{ granted: true, epoch: lease?.epoch }]);
    for (const grant of grants) if (!grant.granted) expect(grant.held).toEqual(lease);
  });

  it("has a higher epoch at each grant", async ({ open, close }) => {
    const { place, die } = mortals();
    let store = await open(place);
    await keep(store, begin(A));
    const epochs = [await acquire(store, A, ann)];
    epochs.push(await acquire(store, A, bob, true));
    await die("bob");
    epochs.push(await acquire(store, A, ann));
    await releaseLease(store, A, epochs.at(-1) ?? 0);
    epochs.push(await acquire(store, A, ann));
    await releaseLease(store, A, epochs.at(-1) ?? 0);
    await close(store);
    store = await open(place);
    epochs.push(await acquire(store, A, ann));
    expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b));
    expect(Math.min(...epochs)).toBeGreaterThan(0);
  });

  it("can be released by its holder", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const epoch = await acquire(store, A, ann);
    await releaseLease(store, A, epoch);
    expect(await loadStream(store, { id: A })).toMatchObject({ lease: null });
    expect(await renewLease(store, A, epoch)).toBe(false);
    await releaseLease(store, A, epoch);
    await acquire(store, A, bob);
  });

  it("cannot be released or renewed by a former holder", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const lost = await acquire(store, A, ann);
    const epoch = await acquire(store, A, bob, true);
    expect(await renewLease(store, A, lost)).toBe(false);
    await releaseLease(store, A, lost);
    expect(await loadStream(store, { id: A })).toMatchObject({ lease: { epoch, holder: bob } });
    expect(await renewLease(store, A, epoch)).toBe(true);
  });

  it("refuses an append under a lost or released lease", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    const lost = await acquire(one, A, ann);
    expect(await one.transact(writeUnder(lost))).toMatchObject({ kind: "committed" });

    const epoch = await acquire(other, A, bob, true);
    const refusal = { error: "lease_lost", details: { epoch } };
    expect(await one.transact(writeUnder(lost))).toMatchObject({ kind: "refused", refusal });
    expect(await other.transact(writeUnder(epoch))).toMatchObject({ kind: "committed" });

    await releaseLease(other, A, epoch);
    expect(await other.transact(writeUnder(epoch))).toMatchObject({ kind: "refused" });
  });

  it("never lets a former holder append after the next holder", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    const lost = await acquire(one, A, ann);
    const refusals = countTo(4).map(async () => {
      for (const _ of countTo(2000)) {
        const outcome = await one.transact(writeUnder(lost));
        if (outcome.kind === "refused") return outcome.refusal.error;
      }
      return "never refused";
    });
    for (const _ of countTo(5)) await keep(one, writeUnder(lost));
    const epoch = await acquire(other, A, bob, true);
    const taken = await loadStream(other, { id: A });
    for (const _ of countTo(5)) await keep(other, writeUnder(epoch));

    expect(await Promise.all(refusals)).toEqual(refusals.map(() => "lease_lost"));
    const texts = textsOf(await readLog(one, A));
    expect(new Set(texts.slice(1, taken?.seq))).toEqual(new Set([`${lost}`]));
    expect(texts.slice(taken?.seq)).toEqual(countTo(5).map(() => `${epoch}`));
  });

  it("belongs to one stream", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await keep(store, begin(B, { base: { id: A, seq: 1 } }));
    const epoch = await acquire(store, A, ann);
    await acquire(store, B, bob);
    expect(await loadStream(store, { id: A })).toMatchObject({ lease: { epoch, holder: ann } });
    expect(await loadStream(store, { id: B })).toMatchObject({ lease: { holder: bob } });
  });

  it("is not inherited by a fork", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await acquire(store, A, ann);
    expect(await keep(store, begin(B, { base: { id: A, seq: 1 } }))).toMatchObject({ lease: null });
  });
}

function holderOf(name: string): Holder {
  return { name, pid: name === "bob" ? 2 : 1, start_time: null, boot_id: null };
}

async function acquire(store: StreamStore, id: string, holder: Holder, force?: boolean) {
  const grant = await acquireLease(store, id, holder, force);
  if (!grant.granted) throw new Error(`held by ${grant.held.holder.name}`);
  return grant.epoch;
}

/** Like a driver: writes only while its lease is the current one. */
function writeUnder(epoch: number): Transaction {
  return {
    streams: [{ id: A }],
    decide: ({ streams: [stream] }) => {
      const current = stream?.lease?.epoch ?? null;
      if (!stream || current !== epoch) {
        return { refused: refuse("lease_lost", "someone else drives", { epoch: current }) };
      }
      return { appends: [moreLines(stream, { lines: [`${epoch}`] })] };
    },
  };
}
