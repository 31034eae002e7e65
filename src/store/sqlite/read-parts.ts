import type { LeaseClock } from "../lease-time.ts";
import type { StreamPart, StreamRead } from "../stream-store.ts";
import type { Connection } from "./connection.ts";
import type { KnownStreams } from "./known-streams.ts";
import { readRange } from "./read-range.ts";
import { readRows } from "./read-rows.ts";

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
  for (const { ref, rows = [], events = [] } of reads) {
    if (meter.bytes > bytes) break;
    const stream = known.find(ref);
    parts.push(
      stream && {
        stream: stream.show(clock),
        rows: rows.map((query) => readRows(db, stream.row, query, meter)),
        events: events.map((range) => readRange(db, stream.row, range, meter)),
      },
    );
  }
  return parts;
}
