import type { LogEvent } from "../../contract/session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StoredEvent, StreamStore } from "../../store/stream-store.ts";
import type { ServiceContext } from "../service-context.ts";
import { findSession } from "./find-session.ts";

const PAGE = { limit: 500, bytes: 256 * 1024 } as const;

/** A session's events after `seq`, as any process writes them. Ends with the signal. */
async function* followSession(
  store: StreamStore,
  id: string,
  seq: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  let after = seq;
  yield* follow({ store, stream: id }, signal, async () => {
    const events = await readEvents(store, id, { after, ...PAGE });
    after = events.at(-1)?.seq ?? after;
    return events;
  });
}

/** The same for a session id of an owner, with events as the interfaces show them. */
export async function* followLog(
  context: ServiceContext,
  owner: string,
  id: string,
  seq: number,
  signal: AbortSignal,
): AsyncGenerator<LogEvent> {
  const { stream } = await findSession(context, owner, id);
  for await (const event of followSession(context.store, stream.id, seq, signal)) {
    yield viewEvent(event);
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
