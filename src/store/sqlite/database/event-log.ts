import { bytesIn, type Content } from "../../content.ts";
import { hashEvent, NO_HASH } from "../../log/hash-event.ts";
import { type Inheriting, segmentsWithin } from "../../log/lineage.ts";
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
  toInteger,
  toIntegerOrNull,
  toText,
  toTextOrNull,
  unpackedHexOf,
  type Values,
} from "./columns.ts";
import type { Connection } from "./connection.ts";
import { checksumOfEvent, type LoggedMeta } from "./digests.ts";
import { damaged } from "./storage-error.ts";
import { idOf } from "./writers.ts";

/** One row of `events`. `origin` is the stream that wrote it if this row is a copy. */
export interface EventRow extends LoggedMeta {
  readonly sid: number;
  readonly hash: string;
  readonly origin: string | null;
  readonly body: Content;
  /** Null in rows of older versions. */
  readonly crc: number | null;
}

export interface LoggedStream extends Inheriting {
  readonly id: string;
  readonly hash: string;
}

/** All events from `from` to `to`, each verified. */
export function readEvents(
  db: Connection,
  stream: LoggedStream,
  from: number,
  to: number,
  { meter, isChained = false }: { meter?: Meter | undefined; isChained?: boolean } = {},
): StoredEvent[] {
  if (from > to) return [];
  const events: StoredEvent[] = [];
  let previous: string | undefined;
  for (const segment of segmentsWithin(stream, from, to)) {
    const writer = segment.sid === stream.sid ? stream.id : idOf(db, segment.sid, stream.id);
    for (const values of db.allValues(RANGE, segment.sid, segment.from, segment.to)) {
      const event = readEventRow(values, stream.id);
      if (event.seq !== from + events.length) throw missing(stream.id, from + events.length);
      const before = () => previous ?? hashBefore(db, stream, event.seq);
      checkEvent(event, writer, stream.id, before);
      if (isChained) checkChain(event, writer, stream.id, before());
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

/** Sums the bytes of the contents that are read. */
export interface Meter {
  bytes: number;
}

/**
 * The part of a page whose bodies have at most this many bytes, or its first event. SQLite knows
 * the sizes without reading the bodies.
 */
export function boundsWithin(
  db: Connection,
  stream: Inheriting,
  [from, to]: readonly [from: number, to: number],
  bytes: number,
  isForwards: boolean,
): [from: number, to: number] {
  const segments = segmentsWithin(stream, from, to);
  let whole = 0;
  for (const { sid, ...part } of segments) {
    whole += Number(db.getValues(TOGETHER, sid, part.from, part.to)?.[0] ?? 0);
  }
  if (whole <= bytes) return [from, to];
  const sizes = segments.flatMap((segment) =>
    db.allValues(SIZES, segment.sid, segment.from, segment.to).map(([size]) => Number(size)),
  );
  if (!isForwards) sizes.reverse();
  const count = countWithin(sizes, bytes);
  return isForwards ? [from, Math.min(to, from + count - 1)] : [Math.max(from, to - count + 1), to];
}

/** The hash itself is not verified: if it was altered, the next event fails its check. */
export function hashBefore(db: Connection, stream: Inheriting & { id: string }, seq: number) {
  if (seq === 1) return NO_HASH;
  const [segment] = segmentsWithin(stream, seq - 1, seq - 1);
  const row = segment && db.get(HASH, segment.sid, seq - 1);
  if (!row) throw missing(stream.id, seq - 1);
  return textIn(row, "hash", stream.id);
}

/** `values` are the columns of `EVENT_VALUES`. */
export function readEventRow(values: Values, stream: string): EventRow {
  return {
    sid: toInteger(values[0], "sid", stream),
    seq: toInteger(values[1], "seq", stream),
    type: toText(values[2], "type", stream),
    at: toInteger(values[3], "at", stream),
    actor: toText(values[4], "actor", stream),
    interface: toText(values[5], "interface", stream),
    trace_id: toTextOrNull(values[6], "trace_id", stream),
    hash: toText(values[7], "hash", stream),
    idem: toTextOrNull(values[8], "idem", stream),
    digest: toTextOrNull(values[9], "digest", stream),
    span: toIntegerOrNull(values[10], "span", stream),
    origin: toTextOrNull(values[11], "origin", stream),
    body: readContent(values[12], "body", stream),
    opens: toTextOrNull(values[13], "opens", stream),
    row_key: toTextOrNull(values[14], "row_key", stream),
    opened: toIntegerOrNull(values[15], "opened", stream),
    crc: toIntegerOrNull(values[16], "crc", stream),
  };
}

/**
 * Throws if an event was altered by accident. An event without a checksum is checked against the
 * previous event.
 */
export function checkEvent(
  event: EventRow,
  writer: string,
  stream: string,
  previous: () => string,
): void {
  const { crc, hash, body } = event;
  if (crc === null) checkChain(event, writer, stream, previous());
  else if (checksumOfEvent(event.origin ?? writer, event, hash, body) !== crc) {
    throw altered(stream, event.seq);
  }
}

/**
 * Throws if an event is not the one that was written after `previous`, even if its checksum was
 * recomputed.
 */
export function checkChain(
  event: EventRow,
  writer: string,
  stream: string,
  previous: string,
): void {
  const hash = hashEvent(previous, event.origin ?? writer, event, event.body);
  if (hash !== event.hash) throw altered(stream, event.seq);
}

function altered(stream: string, seq: number): Error {
  return damaged(stream, `event ${seq} was changed after it was written`);
}

/** `writer` is the stream of this row, which may be a copy of another stream's event. */
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
  writer: string,
  event: LoggedMeta,
  hash: string,
  body: Content,
  origin: string | null = null,
): void {
  const { seq, type, at, actor, trace_id, idem, digest, span, opens, row_key, opened } = event;
  const isText = typeof body === "string";
  db.statement(INSERT).get(
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
    origin,
    isText ? body : "",
    isText ? null : body,
    opens,
    row_key,
    opened,
    checksumOfEvent(writer, event, hash, body),
  );
}

export const EVENT_COLUMNS =
  "sid, seq, type, at, actor, interface, trace_id, hash, idem, digest, span, origin, body, bytes, opens, row_key, opened, crc";

export const EVENT_VALUES = `sid, seq, type, at, actor, interface, ${unpackedHexOf("trace_id")}, ${hexOf("hash")},
  idem, ${unpackedHexOf("digest")}, span, origin, ${contentOf("body")}, opens, row_key, opened, crc`;

const RANGE = `SELECT ${EVENT_VALUES} FROM events WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq`;
/** SQLite takes the size of a column from its row, without reading the content. */
const SIZE = "octet_length(body) + ifnull(octet_length(bytes), 0)";
const SIZES = `SELECT ${SIZE} FROM events WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq`;
const TOGETHER = `SELECT sum(${SIZE}) FROM events WHERE sid = ? AND seq BETWEEN ? AND ?`;
const HASH = `SELECT ${hexOf("hash")} AS hash FROM events WHERE sid = ? AND seq = ?`;
const INSERT = `INSERT INTO events (pos, ${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

function missing(stream: string, seq: number): Error {
  return damaged(stream, `event ${seq} is missing`);
}
