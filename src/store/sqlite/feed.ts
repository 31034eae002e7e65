import type { FeedEvent, FeedPage } from "../stream-store.ts";
import { integerIn, type Row } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { checkEvent, EVENT_COLUMNS, hashBefore, readEventRow, toStoredEvent } from "./event-log.ts";
import { readPosition } from "./positions.ts";
import { damaged } from "./storage-error.ts";
import { findStreamRowBySid, type StreamRow } from "./stream-row.ts";

/** Events by position. Copies that a deep fork made are no news. */
export function readFeed(db: Connection, after: string, limit: number): FeedPage {
  const start = readPosition(after);
  const streams = new Map<number, StreamRow>();
  const hashes = new Map<number, { seq: number; hash: string }>();
  const events: FeedEvent[] = [];
  let cursor = start;

  for (const row of db.all(PAGE, start, limit)) {
    try {
      events.push(readOne(row));
    } catch (error) {
      // What comes before a damaged event is served; the next page begins with it.
      if (events.length === 0) throw error;
      break;
    }
    cursor = integerIn(row, "pos", null);
  }
  return { events, cursor: `${cursor}` };

  function readOne(row: Row): FeedEvent {
    const sid = integerIn(row, "sid", null);
    const stream = streams.get(sid) ?? findStreamRowBySid(db, sid);
    if (!stream) throw damaged(null, `the stream of the event at ${row.pos} is missing`);
    streams.set(sid, stream);

    const event = readEventRow(row, stream.id);
    const known = hashes.get(sid);
    const previous = known?.seq === event.seq - 1 ? known.hash : hashBefore(db, stream, event.seq);
    checkEvent(event, stream.id, previous, stream.id);
    hashes.set(sid, event);

    const { id, kind, owner, key } = stream;
    return { ...toStoredEvent(event, id), stream: id, kind, owner, key };
  }
}

const PAGE = `SELECT pos, ${EVENT_COLUMNS} FROM events WHERE pos > ? AND origin IS NULL ORDER BY pos LIMIT ?`;
