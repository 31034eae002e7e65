import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/compose-store.ts";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { begin, idOf, keep, rowOf, write } from "../../src/store/conformance/notebook.ts";
import { createBacking, type MemoryBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { readEvents, readRows } from "../../src/store/read-streams.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { sealInner } from "../conformance/open-sealed.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { withKey } from "../sealed/with-key.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const DAMAGED = { code: "storage_damaged" };

/** Two sessions of one owner and one of another, each with two events and rows of two kinds, and who can write anything there. */
async function attacked() {
  const shared = createBacking();
  const open = () =>
    sealInner(openMemoryStore({ shared, limits: SEALED_LIMITS }), { listing: SESSION_LISTING });
  const store = await open();
  for (const [id, owner] of [
    [A, "ann"],
    [B, "ann"],
    [C, "bob"],
  ] as const) {
    const rows = [
      rowOf(1, 1, { of: id }, { kind: "item", key: "k" }),
      rowOf(1, 1, { of: id }, { kind: "other", key: "k" }),
    ];
    await keep(store, begin(id, { owner, lines: [`one of ${id}`, `two of ${id}`], rows }));
  }
  return { shared, open };
}

function streamOf(shared: MemoryBacking, id: string) {
  const stream = shared.streams.get(id);
  if (!stream) throw new Error("it was written");
  return stream;
}

const log = (store: StreamStore, id: string) => readEvents(store, id, { after: 0, limit: 9 });

describe("an encrypted row", () => {
  it.each([
    ["session of the same owner", B],
    ["session of another owner", C],
  ])("is refused in another %s", async (_, other) => {
    const { shared, open } = await attacked();
    const [mine, theirs] = [streamOf(shared, A), streamOf(shared, other)];
    const [event] = theirs.events;
    if (!event) throw new Error("it was written");
    mine.events.splice(0, 1, event);
    const store = await open();
    await expect(log(store, A)).rejects.toMatchObject(DAMAGED);
    // The other session is as it was.
    expect(await log(store, other)).toHaveLength(2);
  });

  it("is refused as a row of another kind, another place or another session", async () => {
    for (const change of [{ kind: "item" }, { place: 2 }, { nth: 1 }]) {
      const { shared, open } = await attacked();
      const { rows: patches } = streamOf(shared, A);
      const other = patches.find(({ kind }) => kind === "other");
      if (!other) throw new Error("it was written");
      patches.splice(0, patches.length, { ...other, ...change });
      const kind = change.kind ?? "other";
      await expect(readRows(await open(), A, { kind })).rejects.toMatchObject(DAMAGED);
    }
    const { shared, open } = await attacked();
    const theirs = streamOf(shared, B).rows;
    streamOf(shared, A).rows.splice(0, 9, ...theirs);
    await expect(readRows(await open(), A, { kind: "item" })).rejects.toMatchObject(DAMAGED);
  });

  it("is refused with another owner, in every query", async () => {
    const { shared, open } = await attacked();
    shared.streams.set(C, { ...streamOf(shared, C), owner: "ann" });
    const store = await open();
    await expect(log(store, C)).rejects.toMatchObject(DAMAGED);
    const page = await store.list({ kind: "session", owner: "ann", filter: {}, limit: 9 });
    expect(page.streams.map(({ id }) => id).toSorted()).toEqual([A, B]);
    expect(page.damaged).toEqual([{ id: C, key: C }]);
    await expect(store.transact(write(C))).rejects.toMatchObject(DAMAGED);
  });

  it("is refused in the feed of another session", async () => {
    const { shared, open } = await attacked();
    const places = [...shared.feed.entries()].filter(([, event]) => event?.kind === "session");
    const [first, last] = [places[0], places.at(-1)];
    if (!first?.[1] || !last?.[1]) throw new Error("they were written");
    const { writer, seq, data } = last[1];
    shared.feed[first[0]] = { ...first[1], writer, seq, data };
    const store = await open();
    await expect(store.readFeed({ after: "", limit: 99 })).rejects.toMatchObject(DAMAGED);
  });

  it("is refused if it is an older version of the same row", async () => {
    const { shared, open } = await attacked();
    const old = streamOf(shared, A).heads.at(-1);
    await keep(await open(), write(A, { lines: ["three"] }));
    const { heads } = streamOf(shared, A);
    const now = heads.at(-1);
    if (!old || !now) throw new Error("it was written");
    heads.splice(-1, 1, { ...now, head: old.head });
    await expect(log(await open(), A)).rejects.toMatchObject(DAMAGED);
  });

  it("is refused if it is cut anywhere or any byte is changed", async () => {
    const { shared, open } = await attacked();
    const { events } = streamOf(shared, A);
    const [first] = events;
    const whole = first?.data;
    if (!first || !(whole instanceof Uint8Array)) throw new Error("it was written");
    const store = await open();
    const refused = async (data: Uint8Array) => {
      events[0] = { ...first, data };
      await expect(log(store, A)).rejects.toMatchObject(DAMAGED);
    };
    for (let length = 0; length < whole.length; length += 1) await refused(whole.slice(0, length));
    for (let n = 0; n < whole.length; n += 1) {
      await refused(whole.map((byte, at) => (at === n ? byte ^ 1 : byte)));
    }
    await refused(new Uint8Array([...whole, 0]));
    events[0] = first;
    expect(await log(store, A)).toHaveLength(2);
  });
});

describe("an old copy of the whole database", () => {
  it("is noticed by verify, with and without the key, because the anchor is a separate file", async () => {
    const home = temporaryFolder();
    const saved = join(temporaryFolder(), "belay.db");
    await withKey(async () => {
      const open = () => openStore({ home, onNotice: () => {} });
      const store = await open();
      await keep(store, begin(A));
      await store.close();
      copyFileSync(join(home, "belay.db"), saved);
      const again = await open();
      await keep(again, write(A, { lines: ["later"] }));
      await again.close();
      for (const name of ["belay.db-wal", "belay.db-shm"]) {
        rmSync(join(home, name), { force: true });
      }
      copyFileSync(saved, join(home, "belay.db"));
      const old = await open();
      for (const without_key of [false, true]) {
        const { ok } = await createMaintenance(old).verify(undefined, { without_key });
        expect(ok).toBe(false);
      }
      await old.close();
    });
  });
});
