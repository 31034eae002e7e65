import type { EventPlace, FoundInFeed } from "../../stream-store.ts";
import { hexOf, integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { lastPosition } from "../database/positions.ts";

/** See `StreamStore.findInFeed`. */
export function findInFeed(
  db: Connection,
  sought: string | EventPlace | null,
): FoundInFeed | null | undefined {
  if (sought === null) return show(db.get(NEWEST));
  if (typeof sought === "string") {
    const position = /^\d{1,15}$/.test(sought) ? Number(sought) : 0;
    if (position === 0 || position > lastPosition(db)) return undefined;
    return show(db.get(UP_TO, position)) ?? null;
  }
  const { stream, seq } = sought;
  return show(db.get(OF_STREAM, stream, seq)) ?? (db.get(PURGED, stream, seq) ? null : undefined);
}

function show(row: ReturnType<Connection["get"]>): FoundInFeed | undefined {
  if (!row) return undefined;
  const stream = textIn(row, "id", null);
  return {
    stream,
    seq: integerIn(row, "seq", stream),
    type: textIn(row, "type", stream),
    at: integerIn(row, "at", stream),
    hash: textIn(row, "hash", stream),
    owner: textIn(row, "owner", stream),
    cursor: `${integerIn(row, "pos", stream)}`,
  };
}

/** Copies that a deep fork made are not in the feed. */
const FOUND = `SELECT s.id, s.owner, e.seq, e.type, e.at, ${hexOf("e.hash")} AS hash, e.pos
  FROM events e JOIN streams s ON s.sid = e.sid WHERE e.origin IS NULL AND s.kind <> 'purged'`;
const UP_TO = `${FOUND} AND e.pos <= ? ORDER BY e.pos DESC LIMIT 1`;
const OF_STREAM = `${FOUND} AND s.id = ? AND e.seq = ?`;
const NEWEST = `${FOUND} ORDER BY e.pos DESC LIMIT 1`;
const PURGED = "SELECT 1 FROM tombstones WHERE id = ? AND seq >= ?";
