import { setImmediate } from "node:timers/promises";
import type { FeedLine } from "../../contract/operations/past-operations.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import type { FeedEvent, FeedPage, StreamStore } from "../../store/stream-store.ts";
import { readHeldPage } from "../read/held-pages.ts";
import {
  checkFeedPosition,
  FEED_START,
  type FeedPosition,
  findFeedPosition,
  positionAfter,
  writeFeedPosition,
} from "./feed-position.ts";
import { follow } from "./follow-events.ts";

/** Pages grow while a reader continues, up to a size that delays no other reader. */
const PAGE = { first: 8, most: 128, bytes: 256 * 1024 } as const;

/**
 * An owner's events after a cursor, or from now on, as they come. Ends with the signal, and with `history_changed` if the
 * events that were read are no longer there.
 */
export async function* followFeed(
  store: StreamStore,
  owner: string,
  cursor: string | null,
  signal: AbortSignal,
): AsyncGenerator<FeedLine> {
  let from =
    cursor === null
      ? await findFeedEnd(store, owner)
      : await findFeedPosition(store, owner, cursor);
  let size: number = PAGE.first;
  let isAtEnd = false;
  const pages = follow({ store }, signal, async () => {
    for (;;) {
      const query = { after: from.place, limit: size, bytes: PAGE.bytes };
      const held = await readHeldPage(() => store.readFeed(query), signal);
      if (held === null) return [];
      size = nextSize(size);
      const isEmpty = held.page.events.length === 0;
      const wasAtEnd = isAtEnd;
      isAtEnd = isEmpty;
      // Nothing new at the end, although there was a change: it may have come before this place.
      if (isEmpty && !wasAtEnd) return [];
      const now = await checkFeedPosition(store, owner, from).catch((error: unknown) => {
        held.release();
        throw error;
      });
      if (now === from) return isEmpty ? [] : [held];
      held.release();
      from = now;
    }
  });
  for await (const { page, release } of pages) {
    try {
      for await (const step of toFeedSteps(store, owner, from, page)) {
        from = step.position;
        if (step.line) yield step.line;
      }
    } finally {
      release();
    }
    // If all events belong to others, other tasks get their turn.
    await setImmediate();
  }
}

/** The cursor before all later events. */
export async function feedEnd(store: StreamStore, owner: string): Promise<string> {
  return writeFeedPosition(await findFeedEnd(store, owner));
}

async function findFeedEnd(store: StreamStore, owner: string): Promise<FeedPosition> {
  const newest = await store.findInFeed(null);
  return newest ? positionAfter(newest, newest.cursor, owner, null) : FEED_START;
}

/** An owner's events after a cursor, up to the end; then the last cursor. */
export async function* readFeed(
  store: StreamStore,
  owner: string,
  cursor: string | null,
): AsyncGenerator<FeedStep> {
  let from = cursor === null ? FEED_START : await findFeedPosition(store, owner, cursor);
  for (let size: number = PAGE.first; ; size = nextSize(size)) {
    const page = await store.readFeed({
      after: from.place,
      limit: size,
      bytes: PAGE.bytes,
    });
    for await (const step of toFeedSteps(store, owner, from, page)) {
      from = step.position;
      yield step;
    }
    if (page.events.length === 0) return;
    await setImmediate();
  }
}

/** The position reached so far, with an event if there is one to show. */
interface FeedStep {
  readonly line: FeedLine | null;
  readonly position: FeedPosition;
}

/**
 * The events of a page that an owner sees. A store has one cursor per page, so for each line the page that ends with it
 * is read for its cursor. A reader that continues there misses and repeats nothing, whatever the page sizes were and
 * whatever was purged meanwhile; counting would be wrong.
 */
async function* toFeedSteps(
  store: StreamStore,
  owner: string,
  start: FeedPosition,
  { events, cursor: last }: FeedPage,
): AsyncGenerator<FeedStep> {
  let from = start;
  let passed = 0;
  for (const event of events) {
    passed += 1;
    if (event.owner !== owner || !SHOWN.has(event.kind)) continue;
    const behind =
      event === events.at(-1) ? last : await findBehind(store, from.place, passed, event);
    // An earlier event was purged just now, so the next page starts at the last valid cursor.
    if (behind === null) return;
    const { kind, key: id } = event;
    from = positionAfter(event, behind, owner, from.seen);
    yield {
      line: { ...viewEvent(event), kind, id, cursor: writeFeedPosition(from) },
      position: from,
    };
    passed = 0;
  }
  const newest = events.at(-1);
  // An own event of a kind that is not shown may come last.
  if (newest) from = positionAfter(newest, last, owner, from.seen);
  yield { line: null, position: from };
}

/** Events of the store itself, such as tokens, are not shown. */
const SHOWN: ReadonlySet<FeedEvent["kind"]> = new Set(["session", "task"]);

async function findBehind(
  store: StreamStore,
  from: string,
  passed: number,
  { hash }: FeedEvent,
): Promise<string | null> {
  const { events, cursor } = await store.readFeed({ after: from, limit: passed });
  return events.at(-1)?.hash === hash ? cursor : null;
}

function nextSize(size: number): number {
  return Math.min(PAGE.most, size * 2);
}
