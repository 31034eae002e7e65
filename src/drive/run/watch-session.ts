import { type LogPlace, writeEventCursor } from "../../contract/event-cursor.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { Delta } from "../../contract/run-event.ts";
import type { FollowedEvent } from "../../contract/session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { digestOfEvent } from "../../service/follow/event-digest.ts";
import { readEventsAfter } from "../../service/follow/read-events-after.ts";
import { type HeldPage, readHeldPage } from "../../service/read/held-pages.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import type { StoredEvent } from "../../store/stream-store.ts";
import type { LiveText } from "../live/live-text.ts";
import type { ItemPlace } from "./given-text.ts";
import { GivenText } from "./given-text.ts";

/** Small, so that many onlookers that consume nothing need little memory together. */
const PAGE = { limit: 50, bytes: 32 * 1024 } as const;
/** Calls for events that were read before they came are no later than this. */
const LATE_MS = 1000;
const MOST_WAITING = { deltas: 10_000, characters: 64 * 1024 } as const;

/**
 * A session's events after `seq`, as any process writes them, mixed with the live text of an agent of this process. A
 * delta comes after every event stored before it, and repeats nothing that an earlier event or delta contained. Ends
 * with `history_changed` if the last event is another one now, as after a restored backup.
 */
export function watchSession(
  context: ServiceContext,
  live: LiveText,
  id: string,
  seq: number,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent | Delta> {
  const from = { place: { seq, digest: null }, read: null };
  return watch(context, live, id, from, signal, knownEvent, readAtOnce);
}

/** The place from which an earlier onlooker continues. */
export interface WatchedPlace {
  readonly place: LogPlace;
  /** The part of an unstored item that was already read. */
  readonly read: ItemPlace | null;
}

/**
 * The same for clients, with events as the interfaces show them, and their cursors. The memory of all clients together
 * is limited.
 */
export function watchLog(
  context: ServiceContext,
  live: LiveText,
  id: string,
  from: WatchedPlace,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent | Delta> {
  const show = (event: StoredEvent, cursor: string) => ({ ...viewEvent(event), cursor });
  return watch(context, live, id, from, signal, show, readHeldPage);
}

/** A session's driver does not wait for clients. */
async function readAtOnce<T>(read: () => Promise<T>): Promise<HeldPage<T>> {
  return { page: await read(), release: () => {} };
}

async function* watch<Shown>(
  { store }: ServiceContext,
  live: LiveText,
  id: string,
  { place: from, read }: WatchedPlace,
  signal: AbortSignal,
  show: (event: StoredEvent, cursor: string) => Shown,
  readPage: typeof readHeldPage,
): AsyncGenerator<Shown | Delta> {
  const given = new GivenText(read);
  const deltas: Delta[] = [];
  /** The characters of all waiting deltas. */
  let waiting = 0;
  let place = from;
  /** When the log was read last. */
  let readAt = performance.now();
  /** The log has events up to this seq; infinity if that is not known. */
  let newest = Number.POSITIVE_INFINITY;
  let wake = (): void => {};
  const look = (upTo = Number.POSITIVE_INFINITY): void => {
    // A call for an event that was already read is late, or the log is shorter than it was: then it is read, and checked.
    const isOld = upTo <= place.seq && performance.now() - readAt > LATE_MS;
    newest = Math.max(newest, isOld ? Number.POSITIVE_INFINITY : upTo);
    wake();
  };
  const onAbort = (): void => wake();
  const stopWatching = store.watch(look, id);
  const stopListening = live.listen(id, (delta) => {
    given.hear(delta);
    // A listener that is too slow reads from the log instead.
    if (deltas.length >= MOST_WAITING.deltas || waiting >= MOST_WAITING.characters) {
      deltas.length = 0;
      waiting = 0;
    }
    deltas.push(delta);
    waiting += delta.text.length;
    wake();
  });
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      const [delta] = deltas;
      if (newest > place.seq || (delta && delta.after > place.seq)) {
        // Cleared before reading, so that a change during the read causes another read.
        const upTo = newest;
        newest = 0;
        const read = await readPage(() => readEventsAfter(store, id, place, PAGE), signal);
        if (read === null) return;
        readAt = performance.now();
        try {
          // The page may have ended before it.
          if (read.page.length > 0) newest = Math.max(newest, upTo);
          for (const event of read.page) {
            const { seq } = event;
            const digest = digestOfEvent(id, event);
            place = { seq, digest };
            given.pass(event);
            yield show(event, writeEventCursor(seq, digest));
          }
        } finally {
          read.release();
        }
        continue;
      }
      if (delta) {
        deltas.shift();
        waiting -= delta.text.length;
        const news = given.newsOf(delta);
        if (news) yield news;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (newest > place.seq || deltas.length > 0 || signal.aborted) resolve();
      });
    }
  } finally {
    stopWatching();
    stopListening();
    signal.removeEventListener("abort", onAbort);
  }
}
