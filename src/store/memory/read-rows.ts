import type { NewRow, RowQuery, StoredRow } from "../../contract/stream.ts";
import { takeWithin } from "./take-within.ts";

export function readRows(rows: readonly NewRow[], query: RowQuery): StoredRow[] {
  const { kind, key, at = Infinity, after = -Infinity, before = Infinity } = query;
  const patches = rows.filter((row) => row.kind === kind && row.seq <= at);
  const items = mergePatches(patches)
    .filter((item) => key === undefined || item.key === key)
    .filter(({ place }) => place > after && place < before)
    .sort((a, b) => a.place - b.place || a.nth - b.nth);

  const { limit = Infinity, bytes = Infinity } = query;
  return query.before === undefined
    ? takePage(items, limit, bytes)
    : takePage(items.reverse(), limit, bytes).reverse();
}

function mergePatches(patches: readonly NewRow[]): StoredRow[] {
  const items = new Map<string, StoredRow>();
  for (const { place, nth, key, data } of patches.toSorted((a, b) => a.seq - b.seq)) {
    const item = items.get(`${place} ${nth}`);
    items.set(`${place} ${nth}`, {
      place,
      nth,
      key: item?.key ?? key,
      data: { ...item?.data, ...data },
    });
  }
  return [...items.values()];
}

function takePage(items: readonly StoredRow[], limit: number, bytes: number): StoredRow[] {
  const page = takeWholePlaces(items, limit);
  const within = takeWithin(page, bytes);
  const cut = page[within.length];
  // The place in which the bytes end is left for the next page, unless it is the only one.
  const whole = within.filter(({ place }) => place !== cut?.place);
  return cut === undefined ? page : whole.length > 0 ? whole : takeWholePlaces(page, 1);
}

/** A cursor is a place, so a page that ended inside one would skip the rest of it. */
function takeWholePlaces(items: readonly StoredRow[], limit: number): StoredRow[] {
  const last = items[Math.min(limit, items.length) - 1];
  if (!last) return [];
  return items.slice(0, items.findLastIndex(({ place }) => place === last.place) + 1);
}
