import { LazyPart } from "../../lazy-part.ts";
import type { LeaseClock } from "../../lease-rules.ts";
import { boundsOf } from "../../page-rules.ts";
import type { EventRange, StoredEvent, StreamPart, StreamRead } from "../../stream-store.ts";
import type { Connection } from "../database/connection.ts";
import { boundsWithin, type LoggedStream, type Meter, readEvents } from "../database/event-log.ts";
import { loadHeadBefore } from "../database/stored-heads.ts";
import type { StreamRow } from "../database/stream-row.ts";
import type { KnownStream, KnownStreams } from "./known-streams.ts";
import { readRows } from "./read-rows.ts";

/** Reads parts of many streams, up to this many bytes in total. */
export function readParts(
  db: Connection,
  known: KnownStreams,
  reads: readonly StreamRead[],
  bytes: number,
  clock: LeaseClock,
): (StreamPart | undefined)[] {
  // The bytes only decide if another read follows.
  const meter = reads.length > 1 ? { bytes: 0 } : undefined;
  const parts: (StreamPart | undefined)[] = [];
  const found = findTogether(known, reads);
  for (const read of reads) {
    if (meter && meter.bytes > bytes) break;
    const { ref } = read;
    if (isBare(read)) {
      const stream = ("key" in ref ? found?.get(ref.key) : undefined) ?? known.findShown(ref);
      parts.push(stream && { stream: stream.show(clock), ...NOTHING_ELSE });
    } else {
      const stream = known.find(ref);
      parts.push(stream && readPart(db, known, stream, read, clock, meter));
    }
  }
  return parts;
}

const NOTHING_ELSE = { rows: [], events: [], heads: [] };

/** True for a read of nothing but the stream. */
function isBare({ rows, events, heads }: StreamRead): boolean {
  return !rows && !events && !heads;
}

/** Many streams that are read by keys of one kind and owner, such as keys of encrypted streams; null for others. */
function findTogether(
  known: KnownStreams,
  reads: readonly StreamRead[],
): ReadonlyMap<string, KnownStream> | null {
  const [first] = reads;
  if (reads.length < MANY || !first || !("key" in first.ref)) return null;
  const { kind, owner } = first.ref;
  const keys: string[] = [];
  for (const read of reads) {
    const { ref } = read;
    if (!isBare(read) || !("key" in ref) || ref.kind !== kind || ref.owner !== owner) return null;
    keys.push(ref.key);
  }
  return known.findByKeys(kind, owner, keys);
}

/** For fewer, single statements are as fast. */
const MANY = 4;

/** The row of one stream needs no snapshot. */
export function isOneRow(reads: readonly StreamRead[]): boolean {
  const [read] = reads;
  return reads.length === 1 && read !== undefined && isBare(read);
}

function readPart(
  db: Connection,
  known: KnownStreams,
  stream: KnownStream<StreamRow>,
  { rows = [], events = [], heads = [] }: StreamRead,
  clock: LeaseClock,
  meter: Meter | undefined,
): StreamPart {
  const hasCopies = (sid: number) => known.hasCopies(sid);
  return new LazyPart(() => stream.show(clock), {
    rows: rows.map((query) => readRows(db, stream.row, query, meter, hasCopies)),
    events: events.map((range) => readRange(db, stream.row, range, meter)),
    heads: heads.map((seq) => loadHeadBefore(db, stream, seq)),
  });
}

/** One page of a stream's events, cut at its byte limit. */
function readRange(
  db: Connection,
  stream: LoggedStream,
  range: EventRange,
  meter?: Meter,
): StoredEvent[] {
  const bounds = boundsOf(range, stream.seq);
  const [from, to] =
    range.bytes === undefined || bounds[0] >= bounds[1]
      ? bounds
      : boundsWithin(db, stream, bounds, range.bytes, "after" in range);
  return readEvents(db, stream, from, to, { meter, isChained: range.chained ?? false });
}
