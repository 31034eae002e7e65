import { loadStream } from "../read-streams.ts";
import type { FeedEvent, StreamStore } from "../stream-store.ts";
import { begin, idOf, keep, write } from "./notebook.ts";
import { watchOnce } from "./watch-once.ts";

export const markerId = idOf(0xffff);

/**
 * All events acknowledged before. It writes a line to a notebook of its own, which comes after all of them, and follows
 * the feed up to there.
 */
export async function readFeed(store: StreamStore, from: string, limit = 50): Promise<FeedEvent[]> {
  const mark = await markFeed(store);
  const events = await followFeed(store, from, limit, ({ stream, seq }) => {
    return stream === markerId && seq === mark;
  });
  return events.filter(({ stream }) => stream !== markerId);
}

/** Reads up to the first page with the awaited event. */
export async function followFeed(
  store: StreamStore,
  from: string,
  limit: number,
  isLast: (event: FeedEvent) => boolean,
): Promise<FeedEvent[]> {
  const all: FeedEvent[] = [];
  let after = from;
  for (;;) {
    const watch = watchOnce(store);
    const { events, cursor } = await store.readFeed({ after, limit });
    all.push(...events);
    after = cursor;
    if (events.length === 0) await watch.called;
    watch.stop();
    if (events.some(isLast)) return all;
  }
}

async function markFeed(store: StreamStore): Promise<number> {
  const isMarked = await loadStream(store, { id: markerId });
  const marker = { kind: "system", owner: "conformance", key: "marker" } as const;
  const { seq } = await keep(store, isMarked ? write(markerId) : begin(markerId, marker));
  return seq;
}
