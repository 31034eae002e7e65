import { BelayError, refuse } from "../contract/errors.ts";
import type { EventRange } from "./stream-store.ts";

/** The first and last event of a page. Events have no gaps, so both can be computed. */
export function boundsOf(range: EventRange, last: number): [from: number, to: number] {
  if ("after" in range) {
    const after = Math.max(0, range.after);
    return [after + 1, Math.min(last, after + range.limit)];
  }
  const to = Math.min(last, range.before - 1);
  return [Math.max(1, to - range.limit + 1), to];
}

/** The number of items of these sizes that fit into a page; at least one. */
export function countWithin(sizes: readonly number[], bytes: number): number {
  let sum = 0;
  const tooMany = sizes.findIndex((size) => {
    sum += size;
    return sum > bytes;
  });
  return Math.max(1, tooMany < 0 ? sizes.length : tooMany);
}

/** Parses a cursor into the commit order; the empty cursor is the start. */
export function readPosition(cursor: string): number {
  if (/^\d{0,15}$/.test(cursor)) return Number(cursor);
  throw invalidCursor(cursor);
}

export function invalidCursor(cursor: string): BelayError {
  const message = "Invalid cursor. Use next_cursor from the previous page.";
  return new BelayError(refuse("invalid_input", message, { cursor }));
}
