import type { EventPlace, FoundInFeed } from "../stream-store.ts";
import type { MemoryBacking } from "./memory-backing.ts";

/** See `StreamStore.findInFeed`. */
export function findInFeed(
  { feed, purged }: MemoryBacking,
  sought: string | EventPlace | null,
): FoundInFeed | null | undefined {
  const at = findPosition(feed, sought);
  const event = feed[at];
  if (event) {
    const { stream, seq, type, at: time, hash, owner } = event;
    return { stream, seq, type, at: time, hash, owner, cursor: `${at + 1}` };
  }
  if (sought === null) return undefined;
  const wasPurged = typeof sought === "string" ? event === null : purged.has(sought.stream);
  return wasPurged ? null : undefined;
}

/** -1 if there is none. */
function findPosition(feed: MemoryBacking["feed"], sought: string | EventPlace | null): number {
  if (sought === null) return feed.findLastIndex((event) => event !== null);
  if (typeof sought === "string") return /^\d{1,15}$/.test(sought) ? Number(sought) - 1 : -1;
  return feed.findLastIndex((event) => event?.stream === sought.stream && event.seq === sought.seq);
}
