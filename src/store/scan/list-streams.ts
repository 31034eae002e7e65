import type { ListingDeclaration } from "../../contract/stream.ts";
import { checkFilter, matchesFilter } from "../list-rules.ts";
import { invalidCursor } from "../page-rules.ts";
import type { ListingValues, ListQuery, StoredStream } from "../stream-store.ts";

/** A stream as lists see it. */
export interface ListedStream extends Pick<StoredStream, "id" | "kind" | "owner" | "key"> {
  readonly listing: ListingValues | null;
}

interface Found<T> {
  readonly streams: readonly T[];
  readonly next: string | null;
}

/** Newest first; streams of the same time in the order of their ids. */
export function listStreams<T extends ListedStream>(
  streams: Iterable<T>,
  query: ListQuery,
  declared: ListingDeclaration,
): Found<T> {
  checkFilter(query.filter, declared);
  const { kind, owner, filter, limit, after } = query;

  const found = [...streams]
    .filter((stream) => stream.kind === kind && (owner === null || stream.owner === owner))
    .flatMap((stream) => {
      const { key, listing } = stream;
      return listing && matchesFilter({ key, listing }, filter, declared)
        ? { stream, id: stream.id, time: Number(listing[declared.order]) }
        : [];
    })
    .sort(compare);
  const last = after === undefined ? undefined : readCursor(after);
  const rest = last ? found.filter((entry) => compare(entry, last) > 0) : found;

  const page = rest.slice(0, limit);
  const end = page.at(-1);
  return {
    streams: page.map(({ stream }) => stream),
    next: end && rest.length > page.length ? `${end.time} ${end.id}` : null,
  };
}

interface Position {
  readonly time: number;
  readonly id: string;
}

function compare(a: Position, b: Position): number {
  if (a.time !== b.time) return b.time - a.time;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function readCursor(cursor: string): Position {
  const [, time, id] = /^(\S+) (.*)$/s.exec(cursor) ?? [];
  if (time !== undefined && id !== undefined) return { time: Number(time), id };
  throw invalidCursor(cursor);
}
