import { countWithin, readPosition } from "../../page-rules.ts";
import type { FeedEvent, FeedPage, FeedQuery } from "../../stream-store.ts";
import { contentOf, toInteger, type Values } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import {
  checkEvent,
  EVENT_VALUES,
  hashBefore,
  readEventRow,
  toStoredEvent,
} from "../database/event-log.ts";
import { lastPosition } from "../database/positions.ts";
import { ROW_LIMIT } from "../database/row-limit.ts";
import { damaged } from "../database/storage-error.ts";
import { findStreamRowBySid, type StreamRow } from "../database/stream-row.ts";

/** Reads events by position. A page is empty only at the end. */
export function readFeed(
  db: Connection,
  { after, limit: most, bytes = Number.POSITIVE_INFINITY }: FeedQuery,
): FeedPage {
  if (after === null) return { events: [], cursor: `${lastPosition(db)}` };
  const reader = new FeedReader(db);
  const events: FeedEvent[] = [];
  let cursor = readPosition(after);
  for (let limit = most; ; ) {
    if (bytes < Number.POSITIVE_INFINITY)
      limit = Math.min(limit, limitWithin(db, cursor, limit, bytes));
    const rows = db.allValues(PAGE, cursor, limit - events.length);
    for (const row of rows) {
      const pos = reader.positionOf(row);
      try {
        const event = reader.read(row);
        if (event) events.push(event);
      } catch (error) {
        // Events before a damaged one are returned; the next page starts with the damaged one.
        if (events.length === 0) throw error;
        return { events, cursor: `${cursor}` };
      }
      cursor = pos;
    }
    if (rows.length === 0 || events.length >= limit) return { events, cursor: `${cursor}` };
  }
}

function limitWithin(db: Connection, cursor: number, limit: number, bytes: number): number {
  return countWithin(
    db.allValues(SIZES, cursor, limit).map(([size]) => Number(size)),
    bytes,
  );
}

class FeedReader {
  readonly #db: Connection;
  readonly #streams = new Map<number, StreamRow>();
  readonly #hashes = new Map<number, { readonly seq: number; readonly hash: string }>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Checked against the index, because an altered position would make a follower skip or repeat
   * events.
   */
  positionOf(row: Values): number {
    const [sid, seq] = row.map(Number);
    const pos = toInteger(row.at(-1), "pos", null);
    const indexed = this.#db.getValues(POSITION, sid ?? 0, seq ?? 0);
    if (indexed?.[0] === pos) return pos;
    throw damaged(null, `the event at ${pos} is not where it was written`);
  }

  /** Undefined for the remainder of a purged stream. */
  read(row: Values): FeedEvent | undefined {
    const stream = this.#streamOf(row);
    const { sid, id, kind, owner, key } = stream;
    if (kind === "purged") return undefined;

    const event = readEventRow(row, id);
    checkEvent(event, id, id, () => {
      const known = this.#hashes.get(sid);
      return known?.seq === event.seq - 1 ? known.hash : hashBefore(this.#db, stream, event.seq);
    });
    this.#hashes.set(sid, event);
    return { ...toStoredEvent(event, id, id), stream: id, kind, owner, key };
  }

  #streamOf([value]: Values): StreamRow {
    const sid = toInteger(value, "sid", null);
    const stream = this.#streams.get(sid) ?? findStreamRowBySid(this.#db, sid);
    if (!stream) throw damaged(null, `stream number ${sid} is missing, but not its events`);
    this.#streams.set(sid, stream);
    return stream;
  }
}

/** Copies that a deep fork made are not new events. */
const POSITION = "SELECT pos FROM events INDEXED BY events_by_seq WHERE sid = ? AND seq = ?";
const SIZES = `SELECT octet_length(${contentOf("body")}) FROM events WHERE pos > ? AND origin IS NULL ORDER BY pos ${ROW_LIMIT}`;
const PAGE = `SELECT ${EVENT_VALUES}, pos FROM events WHERE pos > ? AND origin IS NULL ORDER BY pos ${ROW_LIMIT}`;
