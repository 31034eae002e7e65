import type { SessionEvent } from "../../contract/events.ts";
import type { Delta } from "../../contract/run-event.ts";
import type { ServiceContext } from "../context.ts";
import { knownEvent } from "../read-head-at.ts";
import type { LiveText } from "./live-text.ts";

const PAGE = 500;
const MOST_WAITING = 10_000;

/**
 * A session's events after `seq` as they come, whichever process writes them, and between them what an agent of this
 * process says before it is stored. A delta comes after every event that had been stored when it was said.
 */
export async function* watchSession(
  { store }: ServiceContext,
  live: LiveText,
  id: string,
  seq: number,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent | Delta> {
  const deltas: Delta[] = [];
  let after = seq;
  let changed = true;
  let wake = (): void => {};
  const look = (): void => {
    changed = true;
    wake();
  };
  const stopWatching = store.watch(look);
  const stopListening = live.listen(id, (delta) => {
    // Whoever does not keep up is told from the log.
    if (deltas.length >= MOST_WAITING) deltas.length = 0;
    deltas.push(delta);
    wake();
  });
  signal.addEventListener("abort", look);
  try {
    while (!signal.aborted) {
      const [delta] = deltas;
      if (changed || (delta && delta.after > after)) {
        // Cleared before reading: a change that comes while we read must bring us back.
        changed = false;
        const events = await store.readEvents(id, { after, limit: PAGE });
        if (events.length === PAGE) changed = true;
        for (const event of events) {
          after = event.seq;
          yield knownEvent(event);
        }
        continue;
      }
      if (delta) {
        deltas.shift();
        yield delta;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (changed || deltas.length > 0 || signal.aborted) resolve();
      });
    }
  } finally {
    stopWatching();
    stopListening();
    signal.removeEventListener("abort", look);
  }
}
