import { BelayError, refuse } from "../contract/errors.ts";
import type { StoredRow } from "../contract/stream.ts";
import type { StoredPatch } from "./stream-store.ts";

/**
 * Merges the patches of each item key by key, in order of seq. An item keeps its first key. Bytes
 * cannot be merged, so encrypted patches must be decrypted first.
 */
export function mergeRows(patches: readonly StoredPatch[]): StoredRow[] {
  const rows: StoredRow[] = [];
  for (const { place, nth, seq, key, data } of patches) {
    if (data instanceof Uint8Array) {
      throw new BelayError(refuse("internal", "Index rows that are bytes cannot be merged."));
    }
    const row = rows.at(-1);
    if (row?.place !== place || row.nth !== nth) {
      rows.push({ place, nth, seq, key, data });
      continue;
    }
    // Spread defines properties, so a key named __proto__ is safe.
    const merged = { ...row.data, ...data };
    rows[rows.length - 1] = { place, nth, seq, key: row.key ?? key, data: merged };
  }
  return rows;
}
