import { LIMITS } from "../../contract/limits.ts";
import type { CopySource, RawEvent } from "../log/copy-source.ts";
import type { FeedEvent, StreamStore } from "../stream-store.ts";

/**
 * Compares the target's events with the start of the source's, hash by hash, and returns their number. Streams that only
 * serve the copy are left out. Throws what `toError` returns if the target has anything else.
 */
export async function compareFeeds(
  source: CopySource,
  target: StreamStore,
  isLeftOut: (stream: string) => boolean,
  toError: (event: FeedEvent) => Error,
): Promise<number> {
  const expected = source.readEvents()[Symbol.asyncIterator]();
  let count = 0;
  try {
    for await (const event of readAll(target)) {
      if (isLeftOut(event.stream)) continue;
      const next: IteratorResult<RawEvent> = await expected.next();
      if (next.done || !isSame(event, next.value)) throw toError(event);
      count += 1;
    }
  } finally {
    await expected.return?.();
  }
  return count;
}

async function* readAll(store: StreamStore): AsyncGenerator<FeedEvent> {
  for (let after = ""; ; ) {
    const page = await store.readFeed({ after, limit: 500, bytes: LIMITS.PAGE_BYTES });
    if (page.events.length === 0) return;
    yield* page.events;
    after = page.cursor;
  }
}

function isSame(event: FeedEvent, { stream, meta, hash }: RawEvent): boolean {
  return event.stream === stream && event.seq === meta.seq && event.hash === hash;
}
