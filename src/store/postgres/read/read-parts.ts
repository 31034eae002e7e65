import type { LeaseClock } from "../../lease-rules.ts";
import { segmentsWithin } from "../../log/lineage.ts";
import type {
  StoredEvent,
  StoredHead,
  StoredPatch,
  StreamPart,
  StreamRead,
} from "../../stream-store.ts";
import { contentOf, parseContent } from "../database/content-columns.ts";
import type { SqlSession } from "../database/database.ts";
import { isDamage } from "../database/postgres-error.ts";
import { isStorableRef } from "../database/storable-text.ts";
import { findStreamRows, type StreamRow, toStoredStream } from "../database/stream-row.ts";
import { readEvents } from "./read-events.ts";
import { type Meter, readRows } from "./read-rows.ts";

/**
 * Reads parts of many streams, up to this many bytes in total. One statement reads the streams themselves, so as of one
 * moment, and their content then never changes. Only a purge removes it: then everything is read again.
 */
export async function readParts(
  session: SqlSession,
  reads: readonly StreamRead[],
  bytes: number,
  clock: (now: number | undefined) => LeaseClock,
): Promise<(StreamPart | undefined)[]> {
  for (let attempt = 1; ; attempt += 1) {
    const known = reads.map(({ ref }) => (isStorableRef(ref) ? ref : NOWHERE));
    const { rows, now } = await findStreamRows(session, known);
    try {
      return await readEach(session, reads, rows, bytes, clock(now));
    } catch (error) {
      if (!isDamage(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

const NOWHERE = { id: "" };
const ATTEMPTS = 3;

async function readEach(
  session: SqlSession,
  reads: readonly StreamRead[],
  rows: readonly (StreamRow | undefined)[],
  bytes: number,
  clock: LeaseClock,
): Promise<(StreamPart | undefined)[]> {
  const meter = { bytes: 0 };
  const parts: (StreamPart | undefined)[] = [];
  for (const [index, read] of reads.entries()) {
    if (meter.bytes > bytes) break;
    const row = rows[index];
    parts.push(row && (await readPart(session, row, read, clock, meter)));
  }
  return parts;
}

async function readPart(
  session: SqlSession,
  row: StreamRow,
  { rows = [], events = [], heads = [] }: StreamRead,
  clock: LeaseClock,
  meter: Meter,
): Promise<StreamPart> {
  // One after the other, because a connection runs one statement at a time.
  const part = { stream: toStoredStream(row, clock), ...nothing() };
  part.rows.push(...(await readRows(session, row, rows, meter)));
  for (const range of events) part.events.push(await readEvents(session, row, range, meter));
  for (const seq of heads) part.heads.push(await readHead(session, row, seq));
  return part;
}

function nothing() {
  const rows: StoredPatch[][] = [];
  const events: StoredEvent[][] = [];
  const heads: (StoredHead | undefined)[] = [];
  return { rows, events, heads };
}

/** The newest stored head at or before this seq. */
async function readHead(
  session: SqlSession,
  row: StreamRow,
  seq: number,
): Promise<StoredHead | undefined> {
  const { id } = row;
  if (seq >= row.seq) return { seq: row.seq, head: parseContent(row.head, id), writer: id };
  const segments = segmentsWithin(row, 1, seq);
  const [stored] = await session.query<HeadColumns>(HEAD, [
    segments.map(({ sid }) => sid),
    segments.map(({ from }) => from),
    segments.map(({ to }) => to),
  ]);
  if (!stored) return undefined;
  const head = parseContent(contentOf(stored.head, stored.bytes), id);
  return { seq: stored.seq, head, writer: stored.writer };
}

interface HeadColumns {
  readonly seq: number;
  readonly head: string | null;
  readonly bytes: Uint8Array | null;
  readonly writer: string;
}

const HEAD = `SELECT h.seq, h.head, h.bytes, coalesce(e.origin, s.id) AS writer
  FROM unnest((SELECT $1::bigint[]), (SELECT $2::bigint[]), (SELECT $3::bigint[])) AS g(sid, lo, hi)
  CROSS JOIN LATERAL (
    SELECT * FROM belay.heads b WHERE b.sid = g.sid AND b.seq BETWEEN g.lo AND g.hi ORDER BY b.seq DESC LIMIT 1
  ) h
  JOIN belay.streams s ON s.sid = g.sid
  JOIN belay.events e ON e.sid = g.sid AND e.seq = h.seq
  ORDER BY h.seq DESC LIMIT 1`;
