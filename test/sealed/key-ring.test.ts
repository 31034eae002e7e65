import { describe, expect, it } from "vitest";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { readEverything } from "../../src/store/conformance/read-everything.ts";
import { createBacking, type MemoryBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { readEvents } from "../../src/store/read-streams.ts";
import { sweepKeys } from "../../src/store/sealed/destroy-keys.ts";
import { KeyRing } from "../../src/store/sealed/key-ring.ts";
import { type MasterKey, toMasterKey } from "../../src/store/sealed/master-key.ts";
import { rotateKeys } from "../../src/store/sealed/rotate-keys.ts";
import { sealedStore } from "../../src/store/sealed/sealed-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const NOW = 1_700_000_100_000;
const [OLD, NEW] = [1, 2].map((n) => toMasterKey(Buffer.alloc(32, n)));
const declared = SESSION_LISTING;

function keys(...given: (MasterKey | undefined)[]): MasterKey[] {
  return given.flatMap((key) => key ?? []);
}

function inner(shared: MemoryBacking): StreamStore {
  return openMemoryStore({ shared, limits: SEALED_LIMITS });
}

async function create(shared: MemoryBacking): Promise<StreamStore> {
  const store = inner(shared);
  const ring = await KeyRing.create(store, { load: async () => keys(OLD), declared });
  return sealedStore(store, ring, declared);
}

async function open(shared: MemoryBacking, masters: MasterKey[]): Promise<StreamStore> {
  const store = inner(shared);
  const ring = await KeyRing.open(store, { load: async () => masters, declared });
  return sealedStore(store, ring, declared);
}

function countKeys(shared: MemoryBacking): number {
  return [...shared.streams.values()].filter(({ key, kind }) => kind === "key" && !/\./.test(key))
    .length;
}

describe("encrypted content", () => {
  it("is refused in another place, where plain content is accepted", async () => {
    for (const isSealed of [true, false]) {
      const shared = createBacking();
      const store = isSealed ? await create(shared) : inner(shared);
      await keep(store, begin(A, { lines: ["one", "two"] }));
      const events = shared.streams.get(A)?.events ?? [];
      const [first, second] = events;
      if (!first || !second) throw new Error("they were written");
      events.splice(0, 2, { ...first, data: second.data }, { ...second, data: first.data });
      const read = readEvents(store, A, { after: 0, limit: 9 });
      if (isSealed) await expect(read).rejects.toMatchObject({ code: "storage_damaged" });
      else expect((await read)[0]?.data).toEqual({ text: "two" });
    }
  });

  it("is refused as the head of another stream, and the list still shows all others", async () => {
    const shared = createBacking();
    const store = await create(shared);
    await keep(store, begin(A));
    await keep(store, begin(B));
    await keep(store, begin(C));
    const [a, b] = [shared.streams.get(A)?.heads, shared.streams.get(B)?.heads];
    const head = b?.at(-1);
    if (!a || !head) throw new Error("it was written");
    a.push({ ...head, writer: A });
    const again = await open(shared, keys(OLD));
    const page = await again.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
    expect(page.damaged).toEqual([{ id: A, key: A }]);
    expect(page.streams.map(({ id }) => id).sort()).toEqual([B, C]);
  });
});

describe("a purged stream", () => {
  it("loses its key once no fork shares its events", async () => {
    const shared = createBacking();
    const store = await create(shared);
    await keep(store, begin(A, { lines: ["1", "2"] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    // It shares nothing of B, whose first event it parts before.
    await keep(store, begin(C, { base: { id: B, seq: 1 }, lines: ["c"] }));
    expect(countKeys(shared)).toBe(3);
    await store.purge(A, NOW);
    expect(countKeys(shared)).toBe(3);
    await store.purge(B, NOW);
    expect(countKeys(shared)).toBe(2);
    const again = await open(shared, keys(OLD));
    expect(await readEvents(again, C, { after: 0, limit: 9 })).toHaveLength(2);
    await again.purge(C, NOW);
    expect(countKeys(shared)).toBe(0);
  });

  it("leaves a key to clean up if the process ends before the key is destroyed", async () => {
    const shared = createBacking();
    const store = inner(shared);
    const ring = await KeyRing.create(store, { load: async () => keys(OLD), declared });
    const dying = sealedStore({ ...store, purge: dieAfter(1, store.purge) }, ring, declared);
    await keep(dying, begin(A));
    await expect(dying.purge(A, NOW)).rejects.toThrow("killed");
    expect(countKeys(shared)).toBe(1);
    expect(await sweepKeys(store, ring, NOW)).toBe(0);
    expect(countKeys(shared)).toBe(0);
  });

  it("is not counted as the key of a purged stream if the stream has changed, and stays", async () => {
    const shared = createBacking();
    const store = inner(shared);
    const ring = await KeyRing.create(store, { load: async () => keys(OLD), declared });
    const sealed = sealedStore(store, ring, declared);
    await keep(sealed, begin(A, { lines: ["one", "two"] }));
    await sealed.purge(A, NOW, 1);
    expect(await sweepKeys(store, ring, NOW)).toBe(0);
    expect(await readEvents(sealed, A, { after: 0, limit: 9 })).toHaveLength(2);
    // With a fork of a purged stream, there is such a key.
    await keep(sealed, begin(B, { base: { id: A, seq: 2 } }));
    await sealed.purge(A, NOW, 2);
    expect(await sweepKeys(store, ring, NOW)).toBe(1);
    // The key of the first one goes with that of the last fork.
    const dying = sealedStore({ ...store, purge: dieAfter(1, store.purge) }, ring, declared);
    await expect(dying.purge(B, NOW)).rejects.toThrow("killed");
    expect(await sweepKeys(store, ring, NOW)).toBe(0);
    expect(countKeys(shared)).toBe(0);
  });
});

describe("a rotation of the master key", () => {
  const OWNERS = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ivy", "jon"];

  async function fill(store: StreamStore): Promise<void> {
    for (const [n, owner] of OWNERS.entries()) {
      await keep(store, begin(idOf(n), { owner, lines: [`of ${owner}`] }));
    }
  }

  it("leaves all data readable, wherever it was killed, and the next one completes it", async () => {
    for (let point = 1; point <= 20; point += 1) {
      const shared = createBacking();
      const store = await create(shared);
      await fill(store);
      const before = await readEverything(store);
      const masters = keys(NEW, OLD);
      const rotation = { masters, declared, now: NOW };
      const work = counted(inner(shared), point);
      await expect(rotateKeys(work, rotation)).rejects.toThrow("killed");
      expect(await readEverything(await open(shared, masters))).toEqual(before);
      await rotateKeys(inner(shared), rotation);
      expect(await rotateKeys(inner(shared), rotation)).toBe(0);
      expect(await readEverything(await open(shared, keys(NEW)))).toEqual(before);
      await expect(open(shared, keys(OLD))).rejects.toMatchObject({ code: "encryption_key_wrong" });
    }
  });

  it("is not begun by a process that has the new key already, which can be removed again", async () => {
    const shared = createBacking();
    await keep(await create(shared), begin(A));
    const load = async () => keys(NEW, OLD);
    const ring = await KeyRing.open(inner(shared), { load, declared });
    expect(ring.master).toBe(OLD?.fingerprint);
    await keep(sealedStore(inner(shared), ring, declared), begin(B, { owner: "new" }));
    const again = await open(shared, keys(OLD));
    for (const id of [A, B]) {
      expect(await readEvents(again, id, { after: 0, limit: 9 })).not.toEqual([]);
    }
  });

  it("runs while a process reads and writes, also for new owners", async () => {
    const shared = createBacking();
    let masters = keys(OLD);
    await create(shared);
    const store = inner(shared);
    const ring = await KeyRing.open(store, { load: async () => masters, declared });
    const running = sealedStore(store, ring, declared);
    await keep(running, begin(A));
    masters = keys(NEW, OLD);
    await rotateKeys(inner(shared), { masters, declared, now: NOW });
    masters = keys(NEW);
    await keep(running, write(A));
    await keep(running, begin(B, { owner: "new" }));
    const other = await open(shared, masters);
    for (const id of [A, B])
      expect(await readEvents(other, id, { after: 0, limit: 9 })).not.toEqual([]);
    expect(await readEverything(other)).toEqual(await readEverything(running));
  });
});

/** Every write from the nth on fails, as if the process had been killed before it. */
function counted(store: StreamStore, nth: number): StreamStore {
  let writes = 0;
  const write = <T>(run: () => Promise<T>): Promise<T> => {
    writes += 1;
    return writes >= nth ? Promise.reject(new Error("killed")) : run();
  };
  return {
    ...store,
    transact: (transaction) => write(() => store.transact(transaction)),
    purge: (...asked) => write(() => store.purge(...asked)),
  };
}

function dieAfter(count: number, purge: StreamStore["purge"]): StreamStore["purge"] {
  let calls = 0;
  return async (id, at) => {
    calls += 1;
    if (calls > count) throw new Error("killed");
    return purge(id, at);
  };
}
