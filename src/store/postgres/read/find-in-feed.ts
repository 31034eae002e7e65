import type { EventPlace, FoundInFeed } from "../../stream-store.ts";
import type { Database } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";
import { type FeedPlace, writeCursor } from "./read-feed.ts";

interface FoundColumns extends FeedPlace, Omit<FoundInFeed, "cursor"> {}

/** See `StreamStore.findInFeed`. */
export async function findInFeed(
  database: Database,
  sought: string | EventPlace | null,
): Promise<FoundInFeed | null | undefined> {
  if (sought === null) return show(await database.query<FoundColumns>(NEWEST));
  if (typeof sought === "string") {
    const [, ...place] = /^(\d{1,9})\.(\d{1,18})\.(-1|\d{1,9})$/.exec(sought) ?? [];
    const [era, xid, pos] = place;
    if (era === undefined) return undefined;
    const passed = await database.query(PASSED, [Number(era), xid]);
    if (passed.length === 0) return undefined;
    const found = await database.query<FoundColumns>(UP_TO, [Number(era), xid, Number(pos)]);
    return show(found) ?? null;
  }
  const { stream, seq } = sought;
  if (!isStorable(stream)) return undefined;
  const found = show(await database.query<FoundColumns>(OF_STREAM, [stream, seq]));
  if (found) return found;
  const purged = await database.query(PURGED, [stream, seq]);
  return purged.length > 0 ? null : undefined;
}

function show([row]: readonly FoundColumns[]): FoundInFeed | undefined {
  if (!row) return undefined;
  const { stream, seq, type, at, hash, owner } = row;
  return { stream, seq, type, at, hash, owner, cursor: writeCursor(row) };
}

const FOUND = `SELECT s.id AS stream, s.owner, e.seq, e.type, e.at, encode(e.hash, 'hex') AS hash, e.era, e.xid, e.pos
  FROM belay.events e JOIN belay.streams s ON s.sid = e.sid WHERE e.origin IS NULL AND s.kind <> 'purged'`;
const UP_TO = `${FOUND} AND (e.era, e.xid, e.pos) <= ($1, $2::text::xid8, $3)
  ORDER BY e.era DESC, e.xid DESC, e.pos DESC LIMIT 1`;
const OF_STREAM = `${FOUND} AND s.id = $1 AND e.seq = $2`;
/** Later transactions that are over already may still get events before them. */
const NEWEST = `${FOUND} AND (e.era, e.xid) < (SELECT l.era, l.xid FROM belay.feed_end() l)
  ORDER BY e.era DESC, e.xid DESC, e.pos DESC LIMIT 1`;
const PASSED =
  "SELECT 1 FROM belay.feed_end() l WHERE ($1::integer, $2::text::xid8) <= (l.era, l.xid)";
const PURGED = "SELECT 1 FROM belay.tombstones t WHERE t.id = $1 AND t.seq >= $2";
