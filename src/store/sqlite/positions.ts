import { BelayError, refuse } from "../../contract/errors.ts";
import { integerIn } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The newest position in the order of commits, even if its event has been purged since. */
export function lastPosition(db: Connection): number {
  return integerIn(db.get(LAST) ?? {}, "last", null);
}

/** A cursor into that order; the empty one is the beginning. */
export function readPosition(cursor: string): number {
  if (/^\d{0,15}$/.test(cursor)) return Number(cursor);
  throw new BelayError(
    refuse("invalid_input", "this cursor is none of ours; begin again without one", { cursor }),
  );
}

const LAST = `SELECT max(
  (SELECT coalesce(max(pos), 0) FROM events),
  (SELECT value FROM meta WHERE name = 'position_floor')) AS last`;
