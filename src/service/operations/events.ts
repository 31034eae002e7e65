import type { FeedLine } from "../../contract/operations/past-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { FEED_START, writeFeedPosition } from "../follow/feed-position.ts";
import { readFeed } from "../follow/follow-feed.ts";
import { PageRoom } from "../read/page-room.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** One call reads this many pages before it returns, if most events belong to others. */
const MOST_PAGES = 60;

/** Events in the order of commits. */
export async function events(
  { store }: ServiceContext,
  { after, limit }: Parsed<"events">,
  { owner }: Caller,
): Promise<Output<"events">> {
  const found: FeedLine[] = [];
  let cursor = after ?? writeFeedPosition(FEED_START);
  const room = new PageRoom();
  let pages = 0;
  for await (const step of readFeed(store, owner, after ?? null)) {
    if (step.line && !room.fits(step.line)) return { events: found, next_cursor: cursor, cursor };
    cursor = writeFeedPosition(step.position);
    if (step.line) found.push(step.line);
    else pages += 1;
    if (found.length >= limit || pages >= MOST_PAGES) {
      return { events: found, next_cursor: cursor, cursor };
    }
  }
  return { events: found, next_cursor: null, cursor };
}
