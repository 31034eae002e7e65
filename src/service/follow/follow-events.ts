import type { LogPlace } from "../../contract/event-cursor.ts";
import type { FollowedEvent } from "../../contract/session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { findSession } from "../read/find-session.ts";
import type { ServiceContext } from "../service-context.ts";
import { cursorOf, digestOfEvent } from "./event-digest.ts";
import { readEventsAfter } from "./read-events-after.ts";

const PAGE = { limit: 500, bytes: 256 * 1024 } as const;

/**
 * The events of an owner's session after a place, as any process writes them. Ends with the signal, and with
 * `history_changed` if the event at its place is another one now.
 */
export async function* followLog(
  context: ServiceContext,
  owner: string,
  id: string,
  from: LogPlace,
  signal: AbortSignal,
): AsyncGenerator<FollowedEvent> {
  const { stream } = await findSession(context, owner, id);
  let place = from;
  const events = follow({ store: context.store, stream: stream.id }, signal, async () => {
    const page = await readEventsAfter(context.store, stream.id, place, PAGE);
    const last = page.at(-1);
    if (last) place = { seq: last.seq, digest: digestOfEvent(stream.id, last) };
    return page;
  });
  for await (const event of events) {
    yield { ...viewEvent(event), cursor: cursorOf(stream.id, event) };
  }
}

interface Followed {
  readonly store: StreamStore;
  /** The stream that the items come from; without it, all. */
  readonly stream?: string;
}

/** Yields the items that `readMore` finds, and reads again whenever there may be more. Ends with the signal. */
export async function* follow<T>(
  { store, stream }: Followed,
  signal: AbortSignal,
  readMore: () => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let changed = true;
  let wake = (): void => {};
  const look = (): void => {
    changed = true;
    wake();
  };
  const stopWatching = store.watch(look, stream);
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort);
  try {
    while (!signal.aborted) {
      // Cleared before reading, so that a change during the read causes another read.
      changed = false;
      const items = await readMore();
      for (const item of items) {
        if (signal.aborted) return;
        yield item;
      }
      if (items.length > 0 || changed) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (changed || signal.aborted) resolve();
      });
    }
  } finally {
    stopWatching();
    signal.removeEventListener("abort", onAbort);
  }
}
