import { BelayError } from "../../contract/errors.ts";
import type { SystemFact } from "../../contract/events.ts";
import { isSystemEvent } from "../../core/session/known-events.ts";
import {
  FEED_START,
  findFeedPosition,
  positionAfter,
  writeFeedPosition,
} from "../../service/follow/feed-position.ts";
import { feedEnd } from "../../service/follow/follow-feed.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

type Advanced = Extract<SystemFact, { readonly type: "webhook.advanced" }>["data"];
type Restart = Required<Pick<Advanced, "cursor" | "continued">>;

interface WebhookLog {
  readonly store: StreamStore;
  readonly owner: string;
  readonly id: string;
}

/** As many entries of a webhook's log are searched for a place that still exists. */
const MOST_ENTRIES = 2000;
const PAGE = 200;

/**
 * Where a webhook continues if the history under its cursor has changed: after its newest delivery that still exists. If
 * it never delivered anything, nothing after its creation is done yet. Otherwise it continues at the end, because it
 * cannot know what the receiver has. `readable` is the store that its owner may read.
 */
export async function findRestart(log: WebhookLog, readable: StreamStore): Promise<Restart> {
  const { owner } = log;
  let hasDelivered = false;
  for await (const cursor of readCursors(log)) {
    hasDelivered = true;
    try {
      const position = await findFeedPosition(readable, owner, cursor);
      return { cursor: writeFeedPosition(position), continued: "after_delivery" };
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }
  if (hasDelivered) return { cursor: await feedEnd(readable, owner), continued: "at_end" };
  const added = await readable.findInFeed({ stream: log.id, seq: 1 });
  const position = added ? positionAfter(added, added.cursor, owner, null) : FEED_START;
  return { cursor: writeFeedPosition(position), continued: "after_creation" };
}

/** True if a cursor leads nowhere in this store. */
export function isLost(error: unknown): boolean {
  return (
    error instanceof BelayError &&
    (error.code === "history_changed" || error.code === "invalid_input")
  );
}

/** The cursors of what was delivered, newest first. */
async function* readCursors({ store, id }: WebhookLog): AsyncGenerator<string> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; before > 1 && read < MOST_ENTRIES; read += PAGE) {
    const events = await readEvents(store, id, { before, limit: PAGE });
    for (const event of events.toReversed()) {
      if (isSystemEvent(event) && event.type === "webhook.delivered") yield event.data.cursor;
    }
    before = events[0]?.seq ?? 1;
  }
}
