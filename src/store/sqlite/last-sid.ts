import { integerIn } from "./columns.ts";
import type { Connection } from "./connection.ts";

/** The newest stream's, even if that has been purged since. */
export function lastSid(db: Connection): number {
  return integerIn(db.get(LAST) ?? {}, "last", null);
}

const LAST = "SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'streams'";
