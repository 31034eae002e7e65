import { bytesIn, type Content } from "../../content.ts";
import { countWithin } from "../../page-rules.ts";
import type { StoredEvent } from "../../stream-store.ts";
import {
  contentOf,
  fromHex,
  hexOf,
  packHex,
  parseContent,
  readContent,
  textIn,
  toColumns,
  toInteger,
  toIntegerOrNull,
  toText,
  toTextOrNull,
  unpackedHexOf,
  type Values,
} from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type EventMeta, hashOfEvent, NO_HASH } from "./digests.ts";
import { type Inheriting, segmentsWithin } from "./lineage.ts";
import { damaged } from "./storage-error.ts";
import { idOf } from "./writers.ts";

/** One row of `events`. `origin` is the stream that wrote it, where this one has a copy. */
interface EventRow extends EventMeta {
  readonly sid: number;
  readonly hash: string;
  readonly origin: string | null;
  readonly body: Content;
}

export interface LoggedStream extends Inheriting {
  readonly id: string;
  readonly hash: string;
}

/** All events from `from` to `to`, each checked against the one before it. */
export function readEvents(
  db: Connection,
  stream: LoggedStream,
  from: number,
  to: number,
  meter?: Meter,
): StoredEvent[] {
  if (from > to) return [];
  const events: StoredEvent[] = [];
  let previous = hashBefore(db, stream, from);
  for (const segment of segmentsWithin(stream, from, to)) {
    const writer = segment.sid === stream.sid ? stream.id : idOf(db, segment.sid, stream.id);
    for (const values of db.allValues(RANGE, segment.sid, segment.from, segment.to)) {
      const event = readEventRow(values, stream.id);
      if (event.seq !== from + events.length) throw missing(stream.id, from + events.length);
      checkEvent(event, writer, previous, stream.id);
      previous = event.hash;
      events.push(toStoredEvent(event, stream.id, writer));
      if (meter) meter.bytes += bytesIn(event.body);
    }
  }
  if (events.length !== to - from + 1) throw missing(stream.id, from + events.length);
  if (to === stream.seq && previous !== stream.hash) {
    throw damaged(stream.id, `event ${to} is not the one that its head was folded from`);
  }
  return events;
}

/** Adds up the bytes of what is read. */
export interface Meter {
  bytes: number;
}

/** The part of a page whose bodies have no more than so many bytes, or its first event. SQLite knows sizes without reading bodies. */
export function boundsWithin(
  db: Connection,
  stream: Inheriting,
  [from, to]: readonly [from: number, to: number],
  bytes: number,
  isForwards: boolean,
): [from: number, to: number] {
  const sizes = segmentsWithin(stream, from, to).flatMap((segment) =>
    db.allValues(SIZES, segment.sid, segment.from, segment.to).map(([size]) => Number(size)),
  );
  if (!isForwards) sizes.reverse();
  const count = countWithin(sizes, bytes);
  return isForwards ? [from, Math.min(to, from + count - 1)] : [Math.max(from, to - count + 1), to];
}

/** Not checked itself: an altered one makes the event after it fail its own check. */
export function hashBefore(db: Connection, stream: Inheriting & { id: string }, seq: number) {
  if (seq === 1) return NO_HASH;
  const [segment] = segmentsWithin(stream, seq - 1, seq - 1);
  const row = segment && db.get(HASH, segment.sid, seq - 1);
  if (!row) throw missing(stream.id, seq - 1);
  return textIn(row, "hash", stream.id);
}

/** `values` are those of `EVENT_VALUES`. */
export function readEventRow(values: Values, stream: string): EventRow {
  const [sid, seq, type, at, actor, door, trace_id, hash, idem, digest, span, origin, body] =
    values;
  return {
    sid: toInteger(sid, "sid", stream),
    seq: toInteger(seq, "seq", stream),
    type: toText(type, "type", stream),
    at: toInteger(at, "at", stream),
    actor: toText(actor, "actor", stream),
    interface: toText(door, "interface", stream),
    trace_id: toTextOrNull(trace_id, "trace_id", stream),
    hash: toText(hash, "hash", stream),
    idem: toTextOrNull(idem, "idem", stream),
    digest: toTextOrNull(digest, "digest", stream),
    span: toIntegerOrNull(span, "span", stream),
    origin: toTextOrNull(origin, "origin", stream),
    body: readContent(body, "body", stream),
  };
}

export function checkEvent(event: EventRow, writer: string, previous: string, stream: string) {
  const hash = hashOfEvent(previous, event.origin ?? writer, event, event.body);
  if (hash === event.hash) return;
  throw damaged(stream, `event ${event.seq} is not as it was written`);
}

/** `writer` is the stream whose row this is, which may have a copy of another's event. */
export function toStoredEvent(event: EventRow, stream: string, writer: string): StoredEvent {
  const { seq, type, at, actor, trace_id, hash, origin } = event;
  const data = parseContent(event.body, stream, "body");
  const written = { seq, type, at, actor, interface: event.interface, trace_id, data };
  return { ...written, hash, writer: origin ?? writer };
}

export function insertEvent(
  db: Connection,
  position: number,
  sid: number,
  event: EventMeta,
  hash: string,
  body: Content,
): void {
  const { seq, type, at, actor, trace_id, idem, digest, span } = event;
  db.run(
    INSERT,
    position,
    sid,
    seq,
    type,
    at,
    actor,
    event.interface,
    packHex(trace_id),
    fromHex(hash),
    idem,
    packHex(digest),
    span,
    null,
    ...toColumns(body),
  );
}

export const EVENT_COLUMNS =
  "sid, seq, type, at, actor, interface, trace_id, hash, idem, digest, span, origin, body, bytes";

export const EVENT_VALUES = `sid, seq, type, at, actor, interface, ${unpackedHexOf("trace_id")}, ${hexOf("hash")},
  idem, ${unpackedHexOf("digest")}, span, origin, ${contentOf("body")}`;

const RANGE = `SELECT ${EVENT_VALUES} FROM events WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq`;
const SIZES = `SELECT octet_length(${contentOf("body")}) FROM events WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq`;
const HASH = `SELECT ${hexOf("hash")} AS hash FROM events WHERE sid = ? AND seq = ?`;
const INSERT = `INSERT INTO events (pos, ${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function missing(stream: string, seq: number): Error {
  return damaged(stream, `event ${seq} is missing`);
}
