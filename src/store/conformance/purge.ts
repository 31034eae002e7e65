import { expect } from "vitest";
import { begin, idOf, keep, keyed, rowOf, textsOf, write } from "./notebook.ts";
import type { Suite } from "./suite.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const NOW = 1_700_000_100_000;

export function purge({ it }: Suite): void {
  it("takes a stream out of every way to read it, and frees its key", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { key: "mine-1", names: ["red"], rows: [rowOf(1, 1, { n: 1 })] }));
    await keep(store, begin(B));
    await store.purge(A, NOW);
    expect(await store.load({ id: A })).toBeUndefined();
    expect(await store.readEvents(A, { after: 0, limit: 9 })).toEqual([]);
    expect(await store.readRows(A, { kind: "item" })).toEqual([]);
    expect(await store.findByName("ann", "red", { limit: 9 })).toEqual([]);
    const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 9 });
    expect(streams.map(({ id }) => id)).toEqual([B]);
    const { events } = await store.readFeed("", 99);
    expect(events.map(({ stream }) => stream)).toEqual([B]);
    await keep(store, begin(C, { key: "mine-1" }));
    expect((await store.load({ kind: "session", owner: "ann", key: "mine-1" }))?.id).toBe(C);
  });

  it("leaves forks what they share, and takes that with the last of them", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2", "3", "4"], rows: [rowOf(1, 1, { n: 1 })] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await keep(store, begin(C, { base: { id: A, seq: 3 }, lines: ["c"] }));
    await store.purge(A, NOW);
    const texts = async (id: string) => textsOf(await store.readEvents(id, { after: 0, limit: 9 }));
    expect(await texts(B)).toEqual(["1", "2", "b"]);
    expect(await texts(C)).toEqual(["1", "2", "3", "c"]);
    expect(await store.readRows(C, { kind: "item" })).toHaveLength(1);
    await store.purge(C, NOW);
    expect(await texts(B)).toEqual(["1", "2", "b"]);
    await keep(store, write(B));
    await store.purge(B, NOW);
    const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 9 });
    expect(streams).toEqual([]);
  });

  it("gives later events places of their own in the feed", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await keep(store, begin(B, { lines: ["1", "2"] }));
    const end = await store.feedEnd();
    await store.purge(B, NOW);
    await keep(store, write(A, { lines: ["after"] }));
    const { events } = await store.readFeed(end, 9);
    expect(textsOf(events)).toEqual(["after"]);
  });

  it("forgets the idempotency keys of the stream, and does nothing the second time", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, keyed(begin(A), "once"));
    await store.purge(A, NOW);
    await store.purge(A, NOW);
    const again = await store.transact(keyed(begin(B), "once"));
    expect(again.kind).toBe("committed");
  });
}
