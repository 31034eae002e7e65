import { checkFilter, matchesFilter } from "../list-rules.ts";
import { invalidCursor } from "../page-rules.ts";
import type { ListPage, ListQuery, StoredStream } from "../stream-store.ts";
import type { MemoryStream } from "./memory-backing.ts";

/** Newest activity first; streams of the same moment in the order of their ids. */
export function listStreams(
  streams: Iterable<MemoryStream>,
  query: ListQuery,
  describe: (stream: MemoryStream) => StoredStream,
): ListPage {
  checkFilter(query.filter);
  const { kind, owner, filter, limit, after } = query;

  const found = [...streams]
    .filter((stream) => stream.kind === kind && (owner === null || stream.owner === owner))
    .flatMap((stream) => {
      const { key, listing } = stream;
      return listing && matchesFilter({ key, listing }, filter)
        ? { stream, id: stream.id, activity: listing.activity }
        : [];
    })
    .sort(compare);
  const last = after === undefined ? undefined : readCursor(after);
  const rest = last ? found.filter((entry) => compare(entry, last) > 0) : found;

  const page = rest.slice(0, limit);
  const end = page.at(-1);
  return {
    streams: page.map(({ stream }) => describe(stream)),
    damaged: [],
    next: end && rest.length > page.length ? `${end.activity} ${end.id}` : null,
  };
}

interface Position {
  readonly activity: number;
  readonly id: string;
}

function compare(a: Position, b: Position): number {
  if (a.activity !== b.activity) return b.activity - a.activity;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function readCursor(cursor: string): Position {
  const [, activity, id] = /^(\S+) (.*)$/s.exec(cursor) ?? [];
  if (activity !== undefined && id !== undefined) return { activity: Number(activity), id };
  throw invalidCursor(cursor);
}
