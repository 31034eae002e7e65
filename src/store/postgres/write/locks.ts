import { hash } from "node:crypto";
import type { StreamRef } from "../../stream-store.ts";
import { placeOf } from "./warm-streams.ts";

/* The names that a batch locks: streams by id, creations by key, idempotency keys. */

export function lockOfRef(ref: StreamRef): string {
  return "id" in ref ? lockOfId(ref.id) : `key ${placeOf(ref)}`;
}

export function lockOfId(id: string): string {
  return `id ${id}`;
}

export function lockOfIdem(idem: string): string {
  return `idem ${idem}`;
}

/** Held while purging, because the remainder of one stream may depend on another's forks. */
export const PURGE_LOCK = "purge";

/** More would exhaust the memory that all transactions of a server share. */
export const MOST_LOCKS = 256;

/** Sorted, so that transactions wait for each other in one order. */
export function toLocks(names: Iterable<string>): string[] {
  const numbers = [...names].map((name) => hash("sha256", name, "buffer").readBigInt64BE(0));
  numbers.sort((a, b) => (a < b ? -1 : Number(a > b)));
  return numbers.map(String);
}
