import type { NewRow, StoredRow } from "../../src/contract/stream.ts";

/** An index row as a store keeps it: the patches of one item, merged in order of seq. */
export interface KeptRow extends StoredRow {
  readonly kind: string;
  /** Every status that the item has had, oldest first. */
  readonly statuses: readonly unknown[];
}

/** The smallest possible row store: all items as of a seq, in order of place. */
export function keepRows(rows: readonly NewRow[], at = Number.POSITIVE_INFINITY): KeptRow[] {
  const items = new Map<string, KeptRow>();
  const patches = rows.filter((row) => row.seq <= at).toSorted((a, b) => a.seq - b.seq);
  for (const { kind, place, nth, seq, key, data } of patches) {
    const id = `${kind} ${place} ${nth}`;
    const before = items.get(id);
    const statuses = before?.statuses ?? [];
    items.set(id, {
      kind,
      place,
      nth,
      seq,
      key: before?.key ?? key,
      data: { ...before?.data, ...data },
      statuses: changes(statuses, data) ? [...statuses, data.status] : statuses,
    });
  }
  return [...items.values()].toSorted((a, b) => a.place - b.place || a.nth - b.nth);
}

function changes(statuses: readonly unknown[], data: NewRow["data"]): boolean {
  return "status" in data && data.status !== statuses.at(-1);
}

export function rowsOf(rows: readonly KeptRow[], kind: string): KeptRow[] {
  return rows.filter((row) => row.kind === kind);
}
