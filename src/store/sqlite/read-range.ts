import type { EventRange, StoredEvent } from "../stream-store.ts";
import type { Connection } from "./connection.ts";
import { boundsWithin, type LoggedStream, type Meter, readEvents } from "./event-log.ts";

/** One page of a stream's events, cut where its bytes end. */
export function readRange(
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
  return readEvents(db, stream, from, to, meter);
}

/** The first and the last event of a page: there are no gaps, so they can be counted. */
function boundsOf(range: EventRange, last: number): [from: number, to: number] {
  if ("after" in range) {
    const after = Math.max(0, range.after);
    return [after + 1, Math.min(last, after + range.limit)];
  }
  const to = Math.min(last, range.before - 1);
  return [Math.max(1, to - range.limit + 1), to];
}
