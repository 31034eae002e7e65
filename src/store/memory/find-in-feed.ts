import type { EventPlace, FoundInFeed } from "../stream-store.ts";
import type { MemoryBacking } from "./memory-backing.ts";

/** See `StreamStore.findInFeed`. */
export function findInFeed(
  { feed, purged }: MemoryBacking,
  sought: string | EventPlace | null,
): FoundInFeed | null | undefined {
  const position = findPosition(feed, sought);
  const event = feed[position];
  if (event) {
    const { stream, seq, type, at, hash, owner } = event;
    return { stream, seq, type, at, hash, owner, cursor: `${position + 1}` };
  }
  if (sought === null) return undefined;
  const isGone =
    typeof sought === "string" ? readPlace(feed, sought) > 0 : purged.has(sought.stream);
  return isGone ? null : undefined;
}

/** -1 if there is none. */
function findPosition(feed: MemoryBacking["feed"], sought: string | EventPlace | null): number {
  if (sought !== null && typeof sought !== "string") {
    return feed.findLastIndex(
      (event) => event?.stream === sought.stream && event.seq === sought.seq,
    );
  }
  const end = sought === null ? feed.length : readPlace(feed, sought);
  return feed.slice(0, end).findLastIndex((event) => event !== null);
}

/** The number of positions before a cursor; 0 if it is not one of this feed. */
function readPlace({ length }: MemoryBacking["feed"], cursor: string): number {
  return /^\d{1,15}$/.test(cursor) && Number(cursor) <= length ? Number(cursor) : 0;
}
