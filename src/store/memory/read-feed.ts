import { limitBytes } from "../scan/limit-bytes.ts";
import { showContent } from "../scan/show-content.ts";
import type { FeedPage } from "../stream-store.ts";
import type { MemoryBacking, MemoryFeedEvent } from "./memory-backing.ts";

/** Skips purged events, so a page is empty only at the end. */
export function readFeed(
  { feed }: MemoryBacking,
  after: number,
  limit: number,
  bytes: number,
): FeedPage {
  const events: MemoryFeedEvent[] = [];
  let position = after;
  while (position < feed.length && events.length < limit) {
    const event = feed[position];
    if (event) events.push(event);
    if (limitBytes(events, bytes).length < events.length) {
      events.pop();
      break;
    }
    position += 1;
  }
  const shown = events.map((event) => ({ ...event, data: showContent(event.data) }));
  return { events: shown, cursor: `${position}` };
}
