import { createHash } from "node:crypto";
import { expect } from "vitest";
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
} from "../../src/store/conformance/notebook.ts";
import { readEverything } from "../../src/store/conformance/read-everything.ts";
import { acquireLease, releaseLease } from "../../src/store/leases.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";

const [A = "", B = "", C = "", D = "", E = "", F = "", G = "", H = ""] = countTo(8).map(idOf);
const NOW = 1_700_000_100_000;
const BYTES = Buffer.alloc(1_500_000, "some bytes of a file, ");
const LATE = Buffer.from("a later file");

/** One of everything that a store can hold. */
export async function fillStore(store: StreamStore): Promise<void> {
  const ann = { name: "ann", pid: 1, start_time: 5, boot_id: "boot" };
  await keep(store, begin(A, { lines: ["1", "2"], rows: [rowOf(1, 1, { n: 1 }, { key: "k" })] }));
  await keep(store, begin(B, { owner: "bob", kind: "task", key: "it", names: ["red"] }));
  await store.blobs?.put(A, [BYTES]);
  await keep(store, keyed(write(A, { lines: ["3", "4"], names: ["red", "blue"] }), "key", "body"));
  for (const n of countTo(70)) {
    const rows = n % 7 === 0 ? [rowOf(1, 4 + n, { n })] : [];
    await keep(store, write(A, { lines: [`more ${n}`], rows }));
    if (n % 9 === 0) await keep(store, write(B));
  }
  const opened = moreLines({ id: B, seq: 8 }, { lines: ["opened"] });
  const events = opened.events.map((event) => ({ ...event, row: { kind: "item", key: "own" } }));
  await keep(store, blindly({ ...opened, events }));
  await keep(
    store,
    begin(C, { base: { id: A, seq: 66 }, lines: ["of C", "again"], names: ["blue"] }),
  );
  await store.blobs?.put(C, [LATE]);
  await keep(store, begin(D, { base: { id: C, seq: 67 }, rows: [rowOf(1, 68, { by: "D" })] }));
  await keep(store, begin(E, { base: { id: D, seq: 68 }, lines: ["of E"] }));
  await keep(store, write(A, { lines: ["after the fork"] }));
  const bytes = Uint8Array.of(0, 255, 254, 10);
  const plain = newNotebook(F, { lines: ["bytes"] });
  const asBytes = plain.events.map((event) => ({ ...event, data: bytes }));
  await keep(store, blindly({ ...plain, events: asBytes, head: bytes }));
  for (const _ of countTo(3)) {
    const grant = await acquireLease(store, A, ann, true);
    if (grant.granted) await releaseLease(store, A, grant.epoch);
  }
  await keep(store, begin(G, { lines: ["forgotten"] }));
  await store.purge(G, NOW);
  // D is continued by E, and C by D, so a part of both stays.
  await store.purge(D, NOW);
  await store.purge(C, NOW);
  await keep(store, blindly(newNotebook(H, { key: "one of two" }), moreLines({ id: F, seq: 1 })));
}

/** Compares everything that two stores show, and what they refuse. */
export async function expectSame(copy: StreamStore, original: StreamStore): Promise<void> {
  expect(await readSorted(copy)).toEqual(await readSorted(original));
  for (const id of [A, E]) {
    const heads = countTo(80);
    const [there, here] = [copy, original].map((store) => store.read([{ ref: { id }, heads }]));
    expect(await there).toEqual(await here);
  }
  for (const id of [A, E]) expect(await digestOf(copy, id, BYTES)).toBe(hashOf(BYTES));
  expect(await digestOf(copy, E, LATE)).toBe(await digestOf(original, E, LATE));
}

/** Stores list streams of the same time in different orders. */
async function readSorted(store: StreamStore) {
  const { lists, ...rest } = await readEverything(store);
  const sorted = lists.map((list) => ({
    ...list,
    streams: list.streams.toSorted((a, b) => a.id.localeCompare(b.id)),
  }));
  return { ...rest, lists: sorted };
}

/** The copy goes on like the original would. Changes the copy. */
export async function expectAlive(copy: StreamStore): Promise<void> {
  const again = await copy.transact(keyed(write(A), "key", "body"));
  expect(again).toEqual({ kind: "replayed", id: A, from: 3, to: 4 });
  for (const id of [G, D, C]) {
    const created = copy.transact(blindly(newNotebook(id)));
    await expect(created).rejects.toMatchObject({ code: "session_deleted" });
  }
  const holder = { name: "bob", pid: 2, start_time: null, boot_id: null };
  expect(await acquireLease(copy, A, holder)).toMatchObject({ granted: true, epoch: 4 });
  await keep(copy, write(E, { lines: ["goes on"] }));
}

async function digestOf(store: StreamStore, id: string, bytes: Buffer): Promise<string> {
  const blob = await store.blobs?.get(id, hashOf(bytes));
  const hash = createHash("sha256");
  for await (const chunk of blob?.bytes() ?? []) hash.update(chunk);
  return hash.digest("hex");
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
