import { BelayError, refuse } from "../../contract/errors.ts";
import type { Listing } from "../../contract/stream.ts";
import { invalidCursor } from "../page-rules.ts";
import {
  LIST_FILTERS,
  type ListFilter,
  type ListPage,
  type ListQuery,
  type StoredStream,
} from "../stream-store.ts";
import type { MemoryStream } from "./memory-backing.ts";

/** Newest activity first; streams of the same moment in the order of their ids. */
export function listStreams(
  streams: Iterable<MemoryStream>,
  query: ListQuery,
  describe: (stream: MemoryStream) => StoredStream,
): ListPage {
  rejectUnknown(query.filter);
  const { kind, owner, filter, limit, after } = query;

  const found = [...streams]
    .filter((stream) => stream.kind === kind && (owner === null || stream.owner === owner))
    .flatMap((stream) => {
      const { key, listing } = stream;
      return listing && matches(key, listing, filter)
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

function rejectUnknown(filter: ListFilter): void {
  const known: readonly string[] = LIST_FILTERS;
  const unknown = Object.keys(filter).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const message = `a list cannot be filtered by ${unknown}`;
  throw new BelayError(refuse("unknown_filter", message, { filter: unknown, known }));
}

function matches(key: string, listing: Listing, filter: ListFilter): boolean {
  const { created, activity } = listing;
  const { created_before, active_after, active_before, recent } = filter;
  return (
    (filter.status?.includes(listing.status) ?? true) &&
    isWanted(filter.phase, listing.phase) &&
    isWanted(filter.agent, listing.agent) &&
    isWanted(filter.interface, listing.interface) &&
    isWanted(filter.project, listing.project) &&
    isWanted(filter.task, listing.task) &&
    (filter.waiting === undefined || filter.waiting === listing.waiting > 0) &&
    (filter.pinned === undefined || filter.pinned === (listing.pinned === 1)) &&
    (filter.unsettled === undefined || listing.unsettled === 1) &&
    key.startsWith(filter.key_prefix ?? "") &&
    (created_before === undefined || created < created_before) &&
    (active_after === undefined || activity > active_after) &&
    (active_before === undefined || activity < active_before) &&
    (recent === undefined || listing.status !== recent.status || activity > recent.active_after)
  );
}

function isWanted(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value;
}
