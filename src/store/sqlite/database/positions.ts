import { integerIn } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The newest position in the commit order, even if its event was purged since. */
export function lastPosition(db: Connection): number {
  return integerIn(db.get(LAST) ?? {}, "last", null);
}

const LAST = `SELECT max(
  (SELECT coalesce(max(pos), 0) FROM events),
  (SELECT value FROM meta WHERE name = 'position_floor')) AS last`;

/** The newest stream's number, even if the stream was purged since. */
export function lastSid(db: Connection): number {
  return integerIn(db.get(LAST_SID) ?? {}, "last", null);
}

const LAST_SID = "SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'streams'";
