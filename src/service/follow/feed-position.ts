import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { FoundInFeed, StreamStore } from "../../store/stream-store.ts";
import { readCursorParts, writeCursorParts } from "../read/cursor-parts.ts";
import { digestOfEvent } from "./event-digest.ts";

/** How far a reader has read the feed. */
export interface FeedPosition {
  /** The store's own cursor; empty at the start. */
  readonly place: string;
  /** The start of the hash of the event there, which may be someone else's; null if it is not known. */
  readonly mark: string | null;
  /** The newest event that the reader could see, by which another store with a copy of it finds the place. */
  readonly seen: SeenEvent | null;
}

interface SeenEvent {
  readonly stream: string;
  readonly seq: number;
  readonly digest: string;
  readonly at: number;
}

export const FEED_START: FeedPosition = { place: "", mark: null, seen: null };

/** Marks the cursor, so that neither a number nor a list's cursor is accepted. */
const MARK = "f-";
const MOST_CHARACTERS = 1000;

const Digest = z.string().regex(/^[0-9a-f]{8}$/);
const Place = z.string().max(64);
const Start = z.tuple([Place, Digest.nullable()]);
const Seen = [z.string().min(1).max(128), z.int().min(1), Digest, z.number()] as const;
const AfterSeen = z.tuple([Place, Digest, ...Seen]);
/** The store's own cursor, as it was given out before cursors named events. */
const OLD_PLACE = /^[\d.]{1,64}$/;

export function writeFeedPosition({ place, mark, seen }: FeedPosition): string {
  const rest = seen ? [seen.stream, seen.seq, seen.digest, seen.at] : [];
  return `${MARK}${writeCursorParts([place, mark, ...rest])}`;
}

/** Null if Belay did not write the cursor. */
function readFeedPosition(cursor: string): FeedPosition | null {
  if (!cursor.startsWith(MARK) || cursor.length > MOST_CHARACTERS) return null;
  const inner = cursor.slice(MARK.length);
  if (OLD_PLACE.test(inner)) return { place: inner, mark: null, seen: null };
  const parts = readCursorParts(inner);
  const start = Start.safeParse(parts);
  if (start.success) return { place: start.data[0], mark: start.data[1], seen: null };
  const after = AfterSeen.safeParse(parts);
  if (!after.success) return null;
  const [place, mark, stream, seq, digest, at] = after.data;
  return { place, mark, seen: { stream, seq, digest, at } };
}

/** The position after an event, which the reader can see if it is theirs. Others' events are not named to them. */
export function positionAfter(
  { owner, hash, ...event }: Omit<FoundInFeed, "cursor">,
  place: string,
  reader: string,
  seen: SeenEvent | null,
): FeedPosition {
  const { stream, seq, at } = event;
  const isTheirs = owner === reader;
  return {
    place,
    mark: markOf(hash),
    seen: isTheirs ? { stream, seq, digest: digestOfEvent(stream, event), at } : seen,
  };
}

function markOf(hash: string): string {
  return hash.slice(0, 8);
}

/** The position of a cursor in this store. Throws `invalid_input` for anything that is not a cursor. */
export async function findFeedPosition(
  store: StreamStore,
  reader: string,
  cursor: string,
): Promise<FeedPosition> {
  const position = readFeedPosition(cursor);
  if (position === null) throw invalidCursor();
  return checkFeedPosition(store, reader, position);
}

/**
 * Returns the position if the store still has the event there, or had it until its stream was purged. Otherwise the store
 * is a copy or its history has changed: then the position is the one after the newest event that the reader saw, if the
 * store has that. Throws `history_changed` if not.
 */
export async function checkFeedPosition(
  store: StreamStore,
  reader: string,
  position: FeedPosition,
): Promise<FeedPosition> {
  const { place, mark, seen } = position;
  if (place === "") return position;
  const there = await store.findInFeed(place);
  if (mark === null) {
    if (there === undefined) throw invalidCursor();
    return position;
  }
  if (there && markOf(there.hash) === mark) return position;
  if (seen === null) throw historyChanged(null);
  const found = await store.findInFeed(seen);
  const isSame = found?.owner === reader && digestOfEvent(found.stream, found) === seen.digest;
  if (found && isSame) return positionAfter(found, found.cursor, reader, null);
  // It was purged. In a copy, its place may come after later events; then the event before the place is later too.
  const isBefore = there !== undefined && (there === null || there.at < seen.at);
  if (found === null && isBefore) return position;
  const [part] = await store.read([{ ref: { id: seen.stream } }]);
  throw historyChanged(part?.stream.owner === reader ? part.stream.seq : null);
}

function invalidCursor(): BelayError {
  const message = "Invalid cursor. Use the cursor of the previous page, or start without one.";
  return new BelayError(refuse("invalid_input", message, { field: "after" }));
}

/** `newest` is the newest event of the log that the cursor names, if the reader can see that log. */
function historyChanged(newest: number | null): BelayError {
  const message =
    "The event that this cursor names is not in the feed, because the stored history has changed. Start again without a cursor.";
  return new BelayError(refuse("history_changed", message, { newest }));
}
