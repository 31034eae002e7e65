import { BelayError } from "../../contract/errors.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { evolveSession } from "../../core/session/evolve-session.ts";
import {
  isSessionEvent,
  isSessionHead,
  refuseUnknownEvent,
} from "../../core/session/known-events.ts";
import { loadHeadBefore, readEvents } from "../../store/read-streams.ts";
import type { StoredEvent, StreamStore } from "../../store/stream-store.ts";

/** The head after event `seq`: the nearest stored one, plus the few events since. */
export async function readHeadAt(
  store: StreamStore,
  id: string,
  seq: number,
): Promise<SessionHead | null> {
  const stored = await loadHeadBefore(store, id, seq);
  let head = isSessionHead(stored?.head) ? stored.head : null;
  let at = stored?.seq ?? 0;
  while (at < seq) {
    const events = await readEvents(store, id, { after: at, limit: Math.min(seq - at, 500) });
    if (events.length === 0) return null;
    head = events.map(knownEvent).reduce(evolveSession, head);
    at += events.length;
  }
  return head;
}

/** A stored event with a known type; an event of a newer version is refused rather than guessed at. */
export function knownEvent(event: StoredEvent): SessionEvent {
  if (isSessionEvent(event)) return event;
  throw new BelayError(refuseUnknownEvent(event));
}
