import { expect } from "vitest";
import { begin, idOf, keep, keyed, rowOf, write } from "../../src/store/conformance/notebook.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";

export const CANARY = "canary of the plain data";
const NOW = 1_700_000_100_000;

/** Forks of forks beyond the depth at which history is copied, one that was purged, rows, names, keys and a file. */
export async function fillPlain(store: StreamStore): Promise<void> {
  const rows = [rowOf(1, 1, { text: CANARY }, { key: "a key" })];
  await keep(store, begin(idOf(1), { lines: [CANARY], rows, names: ["red"], key: "first" }));
  await store.blobs?.put(idOf(1), [Buffer.from(CANARY)]);
  await keep(store, write(idOf(1), { lines: ["2"] }));
  await keep(store, keyed(begin(idOf(2), { base: { id: idOf(1), seq: 2 }, lines: ["b"] }), "once"));
  await keep(store, begin(idOf(3), { base: { id: idOf(2), seq: 3 }, lines: ["c".repeat(9000)] }));
  for (let n = 4; n <= 50; n += 1) {
    const base = { id: idOf(n - 1), seq: n };
    await keep(store, begin(idOf(n), { base, lines: [`of ${n}`] }));
  }
  await store.purge(idOf(5), NOW);
}

/** A store with this data was encrypted, and can still be used for everything. */
export async function expectUsable(sealed: StreamStore): Promise<void> {
  await expectFile(sealed);
  expect(await sealed.transact(keyed(write(idOf(2)), "once"))).toMatchObject({ kind: "replayed" });
  await keep(sealed, write(idOf(1)));
  for (const n of [50, 3, 2, 1]) await sealed.purge(idOf(n), NOW);
}

async function expectFile({ blobs }: StreamStore): Promise<void> {
  const put = await blobs?.put(idOf(1), [Buffer.from(CANARY)]);
  expect(put?.added).toBe(false);
  // A fork shares it.
  for (const id of [idOf(1), idOf(2)]) {
    const chunks: Uint8Array[] = [];
    const found = await blobs?.get(id, put?.digest ?? "");
    for await (const chunk of found?.bytes() ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(CANARY);
  }
}

/** Hashes cover what is stored, so they differ. */
export function withoutHashes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item) => (key === "hash" ? undefined : item)));
}
