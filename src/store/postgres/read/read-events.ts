import { bytesIn, type Content } from "../../content.ts";
import { type EventMeta, hashEvent, NO_HASH } from "../../log/hash-event.ts";
import { segmentsWithin } from "../../log/lineage.ts";
import { boundsOf } from "../../page-rules.ts";
import type { EventRange, StoredEvent } from "../../stream-store.ts";
import { contentOf, parseContent } from "../database/content-columns.ts";
import type { SqlSession } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";
import type { StreamRow } from "../database/stream-row.ts";
import type { Meter } from "./read-rows.ts";

interface EventColumns extends EventMeta {
  readonly hash: string;
  readonly writer: string;
  readonly body: string | null;
  readonly bytes: Uint8Array | null;
}

/** One page of a stream's events, each checked against the previous one. */
export async function readEvents(
  session: SqlSession,
  stream: StreamRow,
  range: EventRange,
  meter: Meter,
): Promise<StoredEvent[]> {
  const [from, to] = boundsOf(range, stream.seq);
  if (from > to) return [];
  const segments = segmentsWithin(stream, Math.max(1, from - 1), to);
  const bounds = [
    segments.map((segment) => segment.sid),
    segments.map((segment) => segment.from),
    segments.map((segment) => segment.to),
    from,
  ];
  const cut = "after" in range ? CUT_FORWARDS : CUT_BACKWARDS;
  const found =
    range.bytes === undefined
      ? await session.query<EventColumns>(PAGE, bounds)
      : await session.query<EventColumns>(cut, [...bounds, range.bytes]);
  const before = found[0]?.seq === from - 1 ? found.shift() : undefined;
  const start = found[0]?.seq ?? to;
  let previous =
    start === 1 ? NO_HASH : (before?.hash ?? (await hashAt(session, stream, start - 1)));
  const events: StoredEvent[] = [];
  for (const [index, event] of found.entries()) {
    if (event.seq !== start + index) throw missing(stream.id, start + index);
    const body = contentOf(event.body, event.bytes);
    if (hashEvent(previous, event.writer, event, body) !== event.hash) {
      throw damaged(stream.id, `event ${event.seq} was changed after it was written`);
    }
    previous = event.hash;
    meter.bytes += bytesIn(body);
    events.push(toStoredEvent(event, body));
  }
  expectWhole(stream, range, [from, to], events);
  return events;
}

function expectWhole(
  { id, seq, hash }: StreamRow,
  range: EventRange,
  [from, to]: readonly [number, number],
  events: readonly StoredEvent[],
): void {
  const isCut = range.bytes !== undefined && events.length > 0;
  const [first, last] = [events[0], events.at(-1)];
  if ("after" in range ? first?.seq !== from : last?.seq !== to) throw missing(id, from);
  if (!isCut && events.length !== to - from + 1) throw missing(id, from + events.length);
  if (last?.seq === seq && last.hash !== hash) {
    throw damaged(id, `event ${seq} is not the one that its head was folded from`);
  }
}

async function hashAt(session: SqlSession, stream: StreamRow, seq: number): Promise<string> {
  const [segment] = segmentsWithin(stream, seq, seq);
  const [row] = await session.query<{ hash: string }>(HASH, [segment?.sid, seq]);
  if (!row) throw missing(stream.id, seq);
  return row.hash;
}

function toStoredEvent(event: EventColumns, body: Content): StoredEvent {
  const { seq, type, at, actor, trace_id, hash, writer } = event;
  const data = parseContent(body, writer);
  return { seq, type, at, actor, interface: event.interface, trace_id, data, hash, writer };
}

/**
 * The event before the page is read without its body, for its hash. OFFSET 0 makes PostgreSQL join the segments first:
 * joined by way of their streams, all events of a stream would be read. The arrays are subqueries, because PostgreSQL
 * would plan the query anew for arrays whose length it sees.
 */
const EVENTS = `SELECT e.seq, e.type, e.at, e.actor, e.interface, e.trace_id, encode(e.hash, 'hex') AS hash, e.idem, e.digest,
  e.span, e.opens, e.row_key, coalesce(e.origin, g.id) AS writer,
  CASE WHEN e.seq >= $4 THEN e.body END AS body, CASE WHEN e.seq >= $4 THEN e.bytes END AS bytes
  FROM (
    SELECT u.sid, u.lo, u.hi, s.id FROM unnest((SELECT $1::bigint[]), (SELECT $2::bigint[]), (SELECT $3::bigint[])) AS u(sid, lo, hi)
    JOIN belay.streams s ON s.sid = u.sid OFFSET 0
  ) g
  CROSS JOIN LATERAL (
    SELECT * FROM belay.events b WHERE b.sid = g.sid AND b.seq BETWEEN g.lo AND g.hi ORDER BY b.sid, b.seq OFFSET 0
  ) e`;
const PAGE = `${EVENTS} ORDER BY e.seq`;

/** Cut where the bodies of a page exceed its bytes; it has at least one event. */
function cutOf(direction: "ASC" | "DESC"): string {
  const size = "coalesce(octet_length(p.bytes), octet_length(p.body), 0)";
  const isFirst = direction === "ASC" ? "q.seq <= $4" : "q.n = 1";
  return `SELECT * FROM (
    SELECT p.*, sum(${size}) OVER (ORDER BY p.seq ${direction}) AS total,
      row_number() OVER (ORDER BY p.seq ${direction}) AS n FROM (${EVENTS}) p
  ) q WHERE q.total <= $5 OR ${isFirst} ORDER BY q.seq`;
}
const CUT_FORWARDS = cutOf("ASC");
const CUT_BACKWARDS = cutOf("DESC");
const HASH = "SELECT encode(hash, 'hex') AS hash FROM belay.events WHERE sid = $1 AND seq = $2";

function missing(stream: string, seq: number): Error {
  return damaged(stream, `event ${seq} is missing`);
}
