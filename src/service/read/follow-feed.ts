import { setImmediate } from "node:timers/promises";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { FeedLine } from "../../contract/operations/past-operations.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { readFeedEnd } from "../../store/read-streams.ts";
import type { FeedEvent, FeedPage, StreamStore } from "../../store/stream-store.ts";
import { follow } from "./follow-events.ts";
import { readHeldPage } from "./held-pages.ts";

/** Pages grow while a reader continues, up to a size that delays no other reader. */
const PAGE = { first: 8, most: 128, bytes: 256 * 1024 } as const;

/** An owner's events after a cursor, or from now on, as they come. Ends with the signal. */
export async function* followFeed(
  store: StreamStore,
  owner: string,
  cursor: string | null,
  signal: AbortSignal,
): AsyncGenerator<FeedLine> {
  let from = cursor === null ? await readFeedEnd(store) : readCursor(cursor);
  let size: number = PAGE.first;
  const pages = follow({ store }, signal, async () => {
    const query = { after: from, limit: size, bytes: PAGE.bytes };
    const held = await readHeldPage(() => store.readFeed(query), signal);
    size = nextSize(size);
    return held === null || held.page.events.length === 0 ? [] : [held];
  });
  for await (const { page, release } of pages) {
    try {
      for await (const step of toFeedSteps(store, owner, from, page)) {
        from = step.cursor;
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
export async function feedEnd(store: StreamStore): Promise<string> {
  return writeCursor(await readFeedEnd(store));
}

/** An owner's events after a cursor, up to the end; then the last cursor. */
export async function* readFeed(
  store: StreamStore,
  owner: string,
  cursor: string | null,
): AsyncGenerator<FeedStep> {
  let from = cursor === null ? "" : readCursor(cursor);
  for (let size: number = PAGE.first; ; size = nextSize(size)) {
    const page = await store.readFeed({ after: from, limit: size, bytes: PAGE.bytes });
    for await (const step of toFeedSteps(store, owner, from, page)) {
      from = step.cursor;
      yield step;
    }
    if (page.events.length === 0) return;
    await setImmediate();
  }
}

/** The cursor reached so far, with an event if there is one to show. */
interface FeedStep {
  readonly line: FeedLine | null;
  readonly cursor: string;
}

/**
 * The events of a page that an owner sees. A store has one cursor per page, so for each line the page that ends with it
 * is read for its cursor. A reader that continues there misses and repeats nothing, whatever the page sizes were and
 * whatever was purged meanwhile; counting would be wrong.
 */
async function* toFeedSteps(
  store: StreamStore,
  owner: string,
  start: string,
  { events, cursor: last }: FeedPage,
): AsyncGenerator<FeedStep> {
  let from = start;
  let passed = 0;
  for (const event of events) {
    passed += 1;
    if (event.owner !== owner || !SHOWN.has(event.kind)) continue;
    const behind = event === events.at(-1) ? last : await findBehind(store, from, passed, event);
    // An earlier event was purged just now, so the next page starts at the last valid cursor.
    if (behind === null) return;
    const { kind, key: id } = event;
    const line = { ...viewEvent(event), kind, id, cursor: writeCursor(behind) };
    yield { line, cursor: behind };
    from = behind;
    passed = 0;
  }
  yield { line: null, cursor: last };
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

/** Marks the cursor, so that neither a number nor a list's cursor is accepted. */
const MARK = "f-";

export function writeCursor(cursor: string): string {
  return `${MARK}${cursor}`;
}

function readCursor(cursor: string): string {
  const inner = cursor.slice(MARK.length);
  if (cursor.startsWith(MARK) && inner !== "") return inner;
  const message = "Invalid cursor. Use the cursor of the previous page, or start without one.";
  throw new BelayError(refuse("invalid_input", message, { field: "after" }));
}
