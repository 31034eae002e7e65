import { isRecord } from "../../contract/is-record.ts";
import type { RowQuery } from "../../contract/stream.ts";
import type { CheckedPatch } from "../append-rules.ts";
import type { StoredPatch } from "../stream-store.ts";
import { sizeOf } from "./limit-bytes.ts";
import { showContent } from "./show-content.ts";

/** A patch in memory. */
export interface KeptPatch extends CheckedPatch {
  readonly writer: string;
}

/**
 * Patches of whole items. A page ends with the last item of a place, because the cursor is a place.
 */
export function readRows(rows: readonly KeptPatch[], query: RowQuery): StoredPatch[] {
  const { kind, key, at = Infinity, after = -Infinity, before = Infinity } = query;
  const patches = rows
    .filter((row) => row.kind === kind && row.seq <= at)
    .filter(({ place }) => place > after && place < before)
    .toSorted((a, b) => a.place - b.place || a.nth - b.nth || a.seq - b.seq);
  const items = groupBy(patches, ({ place, nth }) => `${place} ${nth}`)
    // An item is found by the first key it was given.
    .filter((item) => key === undefined || item.find((patch) => patch.key !== null)?.key === key);
  const places = groupBy(items, ([first]) => `${first?.place}`);
  return query.before === undefined
    ? limitPage(places, query).flat(2).map(showPatch)
    : limitPage(places.reverse(), query).reverse().flat(2).map(showPatch);
}

function showPatch({ kind, ...patch }: KeptPatch): StoredPatch {
  const data = showContent(patch.data);
  if (data instanceof Uint8Array || isRecord(data)) return { ...patch, data };
  throw new Error("an index row holds no object");
}

function limitPage(places: readonly KeptPatch[][][], query: RowQuery): KeptPatch[][][] {
  const { limit = Infinity, bytes = Infinity } = query;
  let count = 0;
  let size = 0;
  const end = places.findIndex((items, index) => {
    if (count >= limit) return true;
    count += items.length;
    size += sizeOf(items.flat());
    return size > bytes && index > 0;
  });
  return places.slice(0, end < 0 ? places.length : end);
}

/** Groups values by name. Node 20 has no `Map.groupBy`. */
function groupBy<T>(values: readonly T[], nameOf: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(nameOf(value));
    if (group) group.push(value);
    else groups.set(nameOf(value), [value]);
  }
  return [...groups.values()];
}
