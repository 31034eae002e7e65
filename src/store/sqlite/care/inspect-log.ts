import { firstOwnSeq } from "../../log/lineage.ts";
import type { Finding } from "../../store-care.ts";
import type { Values } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import {
  checkChain,
  checkEvent,
  EVENT_VALUES,
  hashBefore,
  readEventRow,
} from "../database/event-log.ts";
import type { StreamRow } from "../database/stream-row.ts";
import { foundDamage, whatOf } from "./inspect-stream.ts";
import { OpenedLinks } from "./opened-links.ts";

/** Checks a stream's own events, each against the previous one, and the last against the head. */
export function* inspectLog(db: Connection, stream: StreamRow): Generator<Finding> {
  const { id } = stream;
  let seq = firstOwnSeq(stream) - 1;
  /** Undefined after a missing or unreadable event. */
  let previous: string | undefined;
  try {
    previous = hashBefore(db, stream, seq + 1);
  } catch (error) {
    yield foundDamage(id, seq, whatOf(error, "the event that it continues"));
  }

  const links = new OpenedLinks(db, stream);
  for (const { at, row, error } of walkLog(db, stream, seq)) {
    if (at > seq + 1) yield foundDamage(id, seq + 1, missing(seq + 1, at - 1));
    const before = at === seq + 1 ? previous : undefined;
    seq = Math.max(seq, at);
    previous = undefined;
    try {
      if (!row) throw error;
      const event = readEventRow(row, id);
      previous = event.hash;
      if (event.crc !== null) checkEvent(event, id, id, () => event.hash);
      if (before !== undefined) checkChain(event, id, id, before);
      links.add(event);
    } catch (error) {
      yield foundDamage(id, at, whatOf(error, `event ${at}`));
    }
  }

  yield* links.findings();
  if (seq < stream.seq) yield foundDamage(id, seq + 1, missing(seq + 1, stream.seq));
  if (seq > stream.seq) yield foundDamage(id, stream.seq + 1, "there are events beyond its head");
  if (seq === stream.seq && previous !== undefined && previous !== stream.hash) {
    yield foundDamage(id, seq, `event ${seq} is not the one that its head was folded from`);
  }
}

interface Step {
  readonly at: number;
  readonly row?: Values;
  readonly error?: unknown;
}

/**
 * Reads events in pages, and an unreadable page event by event. It ends even if the numbers are out
 * of order.
 */
function* walkLog(db: Connection, { sid, seq: last }: StreamRow, after: number): Generator<Step> {
  let seq = after;
  for (;;) {
    let rows: Values[];
    try {
      rows = db.allValues(PAGE, sid, seq);
    } catch {
      const end = Math.min(seq + PAGE_SIZE, last);
      for (let at = seq + 1; at <= end; at += 1) yield* readOne(db, sid, at);
      if (end >= last) return;
      seq = end;
      continue;
    }
    for (const row of rows) {
      seq += 1;
      const at = typeof row[1] === "number" ? row[1] : seq;
      yield { at, row };
      seq = Math.max(seq, at);
    }
    if (rows.length < PAGE_SIZE) return;
  }
}

function* readOne(db: Connection, sid: number, at: number): Generator<Step> {
  try {
    const row = db.getValues(ONE, sid, at);
    if (row) yield { at, row };
  } catch (error) {
    yield { at, error };
  }
}

const PAGE_SIZE = 256;
const PAGE = `SELECT ${EVENT_VALUES} FROM events WHERE sid = ? AND seq > ? ORDER BY seq LIMIT ${PAGE_SIZE}`;
const ONE = `SELECT ${EVENT_VALUES} FROM events WHERE sid = ? AND seq = ?`;

function missing(from: number, to: number): string {
  return from === to ? `event ${from} is missing` : `events ${from} to ${to} are missing`;
}
