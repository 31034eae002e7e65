import type { LeaseClock } from "../lease-rules.ts";
import type { StreamPart, StreamRead } from "../stream-store.ts";
import type { Connection } from "./connection.ts";
import type { Meter } from "./event-log.ts";
import type { KnownStream, KnownStreams } from "./known-streams.ts";
import { readRange } from "./read-range.ts";
import { readRows } from "./read-rows.ts";
import { loadHeadBefore } from "./stored-heads.ts";

/** Parts of many streams, until they have so many bytes together. */
export function readParts(
  db: Connection,
  known: KnownStreams,
  reads: readonly StreamRead[],
  bytes: number,
  clock: LeaseClock,
): (StreamPart | undefined)[] {
  const meter = { bytes: 0 };
  const parts: (StreamPart | undefined)[] = [];
  for (const read of reads) {
    if (meter.bytes > bytes) break;
    const stream = known.find(read.ref);
    parts.push(stream && readPart(db, known, stream, read, clock, meter));
  }
  return parts;
}

/** Needs no snapshot: one statement is one. */
export function isOneRow(reads: readonly StreamRead[]): boolean {
  const [read] = reads;
  return reads.length === 1 && !read?.rows && !read?.events && !read?.heads;
}

function readPart(
  db: Connection,
  known: KnownStreams,
  stream: KnownStream,
  { rows = [], events = [], heads = [] }: StreamRead,
  clock: LeaseClock,
  meter: Meter,
): StreamPart {
  const hasCopies = (sid: number) => known.hasCopies(sid);
  return {
    // Parsing a head takes longer than reading a few events, and many ask for those alone.
    get stream() {
      return stream.show(clock);
    },
    rows: rows.map((query) => readRows(db, stream.row, query, meter, hasCopies)),
    events: events.map((range) => readRange(db, stream.row, range, meter)),
    heads: heads.map((seq) => loadHeadBefore(db, stream, seq)),
  };
}
