import { setImmediate } from "node:timers/promises";
import type { FeedLine } from "../../contract/operations/past-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { readFeedPage } from "../follow-feed.ts";

/** How many pages of others' events one call reads past before it answers how far it has come. */
const MOST_PAGES = 100;

/** What happened, in the order of commits. */
export async function events(
  { store }: ServiceContext,
  { after, limit }: Parsed<"events">,
  { owner }: Caller,
): Promise<Output<"events">> {
  const found: FeedLine[] = [];
  let cursor = after ?? null;
  for (let pages = 1; ; pages += 1) {
    const page = await readFeedPage(store, owner, cursor, limit - found.length);
    found.push(...page.lines);
    cursor = page.cursor;
    if (page.end) return { events: found, next_cursor: null, cursor };
    if (found.length >= limit || pages >= MOST_PAGES) {
      return { events: found, next_cursor: cursor, cursor };
    }
    await setImmediate();
  }
}
