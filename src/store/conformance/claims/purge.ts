import { expect } from "vitest";
import { renewLease } from "../../leases.ts";
import {
  loadHeadBefore,
  loadStream,
  readEvents,
  readFeedEnd,
  readRows,
} from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import {
  begin,
  blindly,
  countTo,
  idOf,
  keep,
  keyed,
  newNotebook,
  rowOf,
  textsOf,
  write,
} from "../notebook.ts";
import { readStream } from "../read-everything.ts";
import type { Suite } from "../suite.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const NOW = 1_700_000_100_000;

export function purge({ it }: Suite): void {
  it("removes a stream from everything that can be read, and frees its key", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { key: "mine-1", names: ["red"], rows: [rowOf(1, 1, { n: 1 })] }));
    await keep(store, begin(B));
    await store.purge(A, NOW);
    expect(await loadStream(store, { id: A })).toBeUndefined();
    expect(await readEvents(store, A, { after: 0, limit: 9 })).toEqual([]);
    expect(await readRows(store, A, { kind: "item" })).toEqual([]);
    expect(await store.findByName("ann", "red", { limit: 9 })).toEqual([]);
    const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 9 });
    expect(streams.map(({ id }) => id)).toEqual([B]);
    const { events } = await store.readFeed({ after: "", limit: 99 });
    expect(events.map(({ stream }) => stream)).toEqual([B]);
    await keep(store, begin(C, { key: "mine-1" }));
    expect((await loadStream(store, { kind: "session", owner: "ann", key: "mine-1" }))?.id).toBe(C);
  });

  it("leaves a stream that has changed since its purge was decided", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 } }));
    await store.purge(A, NOW, 1);
    await store.purge(B, NOW, 2);
    expect((await readEvents(store, A, { after: 0, limit: 9 })).length).toBe(2);
    expect((await readEvents(store, B, { after: 0, limit: 9 })).length).toBe(3);
    await store.purge(A, NOW, 2);
    expect(await loadStream(store, { id: A })).toBeUndefined();
    expect(await loadStream(store, { id: B })).toBeDefined();
  });

  it("never gives the id to another stream, even with another key or owner", async ({
    open,
    close,
  }) => {
    const first = await open();
    await keep(first, begin(A, { lines: ["1", "2"] }));
    await keep(first, begin(B, { base: { id: A, seq: 1 } }));
    await first.purge(A, NOW);
    const expectRefused = async (store: StreamStore) => {
      for (const again of [{}, { key: "other" }, { owner: "bob" }, { base: { id: B, seq: 2 } }]) {
        const created = store.transact(blindly(newNotebook(A, again)));
        await expect(created).rejects.toMatchObject({ code: "session_deleted" });
        expect(await loadStream(store, { id: A })).toBeUndefined();
      }
      const { events } = await store.readFeed({ after: "", limit: 99 });
      expect(events.map(({ stream }) => stream)).toEqual([B]);
    };
    await expectRefused(first);
    await close(first);
    await expectRefused(await open());
  });

  it("leaves forks the history that they share, and removes it with the last fork", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2", "3", "4"], rows: [rowOf(1, 1, { n: 1 })] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await keep(store, begin(C, { base: { id: A, seq: 3 }, lines: ["c"] }));
    await store.purge(A, NOW);
    const texts = async (id: string) =>
      textsOf(await readEvents(store, id, { after: 0, limit: 9 }));
    expect(await texts(B)).toEqual(["1", "2", "b"]);
    expect(await texts(C)).toEqual(["1", "2", "3", "c"]);
    expect(await readRows(store, C, { kind: "item" })).toHaveLength(1);
    await store.purge(C, NOW);
    expect(await texts(B)).toEqual(["1", "2", "b"]);
    await keep(store, write(B));
    await store.purge(B, NOW);
    const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 9 });
    expect(streams).toEqual([]);
  });

  it("shows nothing under the old id or key, even if forks still share its history", async ({
    open,
  }) => {
    const store = await open();
    const rows = [rowOf(1, 1, { n: 1 })];
    await keep(store, begin(A, { key: "mine-1", lines: ["1", "2"], rows, names: ["red"] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await store.purge(A, NOW);
    expect(await loadStream(store, { id: A })).toBeUndefined();
    expect(
      await loadStream(store, { kind: "session", owner: "ann", key: "mine-1" }),
    ).toBeUndefined();
    expect(await readEvents(store, A, { after: 0, limit: 9 })).toEqual([]);
    expect(await readRows(store, A, { kind: "item" })).toEqual([]);
    expect(await loadHeadBefore(store, A, 9)).toBeUndefined();
    expect(await renewLease(store, A, 1)).toBe(false);
    const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 9 });
    expect(streams.map(({ id }) => id)).toEqual([B]);
    expect(await readFeed(store, "")).toMatchObject([{ stream: B, seq: 3 }]);
    expect(await store.transact(write(A))).toMatchObject({ kind: "refused" });
    const ofA = newNotebook(C, { base: { id: A, seq: 1 } });
    await expect(store.transact(blindly(ofA))).rejects.toThrow();
    await keep(store, begin(C, { key: "mine-1" }));
  });

  it("leaves a fork of a fork complete if the fork between them is purged", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1", "2"], rows: [rowOf(1, 1, { n: 1 })] }));
    const patch = [rowOf(1, 3, { n: 3 })];
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["3", "4"], rows: patch }));
    await keep(store, begin(C, { base: { id: B, seq: 3 }, lines: ["c"] }));
    const before = await readStream(store, C);
    await store.purge(B, NOW);
    expect(await readStream(store, C)).toEqual(before);
    await store.purge(A, NOW);
    expect(await readStream(store, C)).toEqual(before);
    expect(await keep(store, write(C))).toMatchObject({ seq: 5 });
  });

  it("leaves no empty page in the feed", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["kept"] }));
    await keep(store, begin(B, { lines: countTo(9).map(String) }));
    await keep(store, write(A, { lines: ["kept too"] }));
    await store.purge(B, NOW);
    for (const limit of [1, 2, 50]) {
      expect(textsOf(await readFeed(store, "", limit))).toEqual(["kept", "kept too"]);
    }
  });

  it("never reuses positions in the feed for later events", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await keep(store, begin(B, { lines: ["1", "2"] }));
    const end = await readFeedEnd(store);
    await store.purge(B, NOW);
    await keep(store, write(A, { lines: ["after"] }));
    const { events } = await store.readFeed({ after: end, limit: 9 });
    expect(textsOf(events)).toEqual(["after"]);
  });

  it("removes the idempotency keys of the stream, and can be repeated", async ({ open }) => {
    const store = await open();
    await keep(store, keyed(begin(A), "once"));
    await store.purge(A, NOW);
    await store.purge(A, NOW);
    const again = await store.transact(keyed(begin(B), "once"));
    expect(again.kind).toBe("committed");
  });

  it("removes the idempotency keys of events that forks still share", async ({ open }) => {
    const store = await open();
    await keep(store, keyed(begin(A, { lines: ["1", "2"] }), "once"));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await store.purge(A, NOW);
    const again = await store.transact(keyed(begin(C), "once"));
    expect(again.kind).toBe("committed");
    expect(textsOf(await readEvents(store, B, { after: 0, limit: 9 }))).toEqual(["1", "2", "b"]);
  });
}
