import { setImmediate } from "node:timers/promises";
import { BelayError, refuse } from "../contract/errors.ts";
import type { FeedLine } from "../contract/operations/past-operations.ts";
import { viewEvent } from "../core/view-event.ts";
import type { FeedEvent, StreamStore } from "../store/stream-store.ts";
import { follow } from "./follow-events.ts";

/** Others' events are read past in pages so small that nobody waits for the loop. */
const PAGE = 100;

/** An owner's events behind a cursor, or from now on, as they come. Ends with the signal. */
export async function* followFeed(
  store: StreamStore,
  owner: string,
  cursor: string | null,
  signal: AbortSignal,
): AsyncGenerator<FeedLine> {
  let after = cursor ?? (await feedEnd(store));
  yield* follow(store, signal, async () => {
    for (;;) {
      const page = await readFeedPage(store, owner, after, PAGE);
      after = page.cursor;
      if (page.lines.length > 0 || page.end || signal.aborted) return page.lines;
      await setImmediate();
    }
  });
}

/** What happens later lies behind it. */
export async function feedEnd(store: StreamStore): Promise<string> {
  return write(await store.feedEnd());
}

/**
 * One page of everyone's events, and what the owner sees of it: at most `most` lines. Each has the cursor behind it, so
 * that whoever goes on from there misses and repeats nothing.
 */
export async function readFeedPage(
  store: StreamStore,
  owner: string,
  after: string | null,
  most: number,
): Promise<{ readonly lines: FeedLine[]; readonly cursor: string; readonly end: boolean }> {
  let from = after === null ? "" : read(after);
  const { events, cursor: last } = await store.readFeed(from, PAGE);
  const lines: FeedLine[] = [];
  let passed = 0;
  for (const event of events) {
    passed += 1;
    if (event.owner !== owner || !SHOWN.has(event.kind)) continue;
    const behind = event === events.at(-1) ? last : await findBehind(store, from, passed, event);
    // What came before it was purged meanwhile: the next page begins where this one was still right.
    if (behind === null) return { lines, cursor: write(from), end: false };
    const { kind, key } = event;
    lines.push({ ...viewEvent(event), kind, id: key, cursor: write(behind) });
    if (lines.length >= most) return { lines, cursor: write(behind), end: false };
    from = behind;
    passed = 0;
  }
  return { lines, cursor: write(last), end: events.length === 0 };
}

/** What concerns the store itself, tokens among it, is no work. */
const SHOWN: ReadonlySet<FeedEvent["kind"]> = new Set(["session", "task"]);

/**
 * A store has one cursor per page, so the page that ends with an event is asked for its cursor. It holds whatever the
 * sizes of pages were, and when events before it have been purged, where counting would not.
 */
async function findBehind(
  store: StreamStore,
  from: string,
  passed: number,
  { hash }: FeedEvent,
): Promise<string | null> {
  const { events, cursor } = await store.readFeed(from, passed);
  return events.at(-1)?.hash === hash ? cursor : null;
}

/** Marked, so that neither a number nor a list's cursor is taken for one. */
const MARK = "f-";

function write(cursor: string): string {
  return `${MARK}${cursor}`;
}

function read(cursor: string): string {
  const inner = cursor.slice(MARK.length);
  if (cursor.startsWith(MARK) && inner !== "") return inner;
  const message = "this cursor is none of ours: begin again without one";
  throw new BelayError(refuse("invalid_input", message, { field: "after" }));
}
