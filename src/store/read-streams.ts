import type { RowQuery, StoredRow } from "../contract/stream.ts";
import { mergeRows } from "./merge-rows.ts";
import type {
  EventRange,
  StoredEvent,
  StoredHead,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamRef,
  StreamStore,
} from "./stream-store.ts";

/* What readers ask a store for, with the patches of index rows merged. */

/** The stream as it is now. */
export async function loadStream(
  store: StreamStore,
  ref: StreamRef,
): Promise<StoredStream | undefined> {
  const [part] = await store.read([{ ref }]);
  return part?.stream;
}

/** The newest stored head at or before `seq`. */
export async function loadHeadBefore(
  store: StreamStore,
  id: string,
  seq: number,
): Promise<StoredHead | undefined> {
  const [part] = await store.read([{ ref: { id }, heads: [seq] }]);
  return part?.heads[0];
}

/** No events of a stream that does not exist. */
export async function readEvents(
  store: StreamStore,
  id: string,
  range: EventRange,
): Promise<readonly StoredEvent[]> {
  const [part] = await store.read([{ ref: { id }, events: [range] }]);
  return part?.events[0] ?? [];
}

/** No rows of a stream that does not exist. */
export async function readRows(
  store: StreamStore,
  id: string,
  query: RowQuery,
): Promise<StoredRow[]> {
  const [part] = await store.read([{ ref: { id }, rows: [query] }]);
  return mergeRows(part?.rows[0] ?? []);
}

export interface MergedPart extends Omit<StreamPart, "rows"> {
  readonly rows: readonly (readonly StoredRow[])[];
}

/** Parts of many streams as of one moment. With `bytes`, fewer than were asked for: ask for the rest again. */
export async function readParts(
  store: StreamStore,
  reads: readonly StreamRead[],
  bytes?: number,
): Promise<(MergedPart | undefined)[]> {
  const parts = await store.read(reads, bytes);
  return parts.map((part) => part && { ...part, rows: part.rows.map(mergeRows) });
}

/** Every later commit lies behind this cursor; some that have just been acknowledged may too. */
export async function readFeedEnd(store: StreamStore): Promise<string> {
  return (await store.readFeed({ after: null, limit: 1 })).cursor;
}
