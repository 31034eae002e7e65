import type { RowQuery, StoredRow } from "../contract/stream.ts";
import { LazyPart } from "./lazy-part.ts";
import { mergeRows } from "./merge-rows.ts";
import type {
  EventRange,
  ListPage,
  ListQuery,
  StoredEvent,
  StoredHead,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamRef,
  StreamStore,
} from "./stream-store.ts";

/* Reads from a store, with the patches of index rows merged. */

/** Streams in one page of `listPages`. */
const PAGE = 500;

/** All pages of a list. */
export async function* listPages(
  store: StreamStore,
  query: Omit<ListQuery, "limit" | "after">,
): AsyncGenerator<ListPage> {
  let after: string | null | undefined;
  while (after !== null) {
    const page = await store.list({
      ...query,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield page;
    after = page.next;
  }
}

/** All streams of a list that can be read. */
export async function listStreams(
  store: StreamStore,
  query: Omit<ListQuery, "limit" | "after">,
): Promise<StoredStream[]> {
  const found: StoredStream[] = [];
  for await (const { streams } of listPages(store, query)) found.push(...streams);
  return found;
}

/** Loads the current state of a stream. */
export async function loadStream(
  store: Pick<StreamStore, "read">,
  ref: StreamRef,
): Promise<StoredStream | undefined> {
  const [part] = await store.read([{ ref }]);
  return part?.stream;
}

/** Loads the newest stored head at or before `seq`. */
export async function loadHeadBefore(
  store: StreamStore,
  id: string,
  seq: number,
): Promise<StoredHead | undefined> {
  const [part] = await store.read([{ ref: { id }, heads: [seq] }]);
  return part?.heads[0];
}

/** Returns no events for a stream that does not exist. */
export async function readEvents(
  store: StreamStore,
  id: string,
  range: EventRange,
): Promise<readonly StoredEvent[]> {
  const [part] = await store.read([{ ref: { id }, events: [range] }]);
  return part?.events[0] ?? [];
}

/** Returns no rows for a stream that does not exist. */
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

/**
 * Reads parts of many streams as of one moment. With `bytes` it may return fewer; the caller reads
 * the rest again.
 */
export async function readParts(
  store: StreamStore,
  reads: readonly StreamRead[],
  bytes?: number,
): Promise<(MergedPart | undefined)[]> {
  const parts = await store.read(reads, bytes);
  return parts.map((part) => {
    if (!part) return undefined;
    const { events, heads } = part;
    // A store may compute the stream on demand.
    return new LazyPart(() => part.stream, { rows: part.rows.map(mergeRows), events, heads });
  });
}

/**
 * A cursor before every later commit. Some commits that were just acknowledged may also come after
 * it.
 */
export async function readFeedEnd(store: StreamStore): Promise<string> {
  return (await store.readFeed({ after: null, limit: 1 })).cursor;
}
