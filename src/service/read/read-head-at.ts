import { setImmediate as nextRound } from "node:timers/promises";
import { BelayError } from "../../contract/errors.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
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
  const head = isSessionHead(stored?.head) ? stored.head : null;
  let state: HeadAt | null = { head, at: stored?.seq ?? 0 };
  while (state && state.at < seq) {
    state = await evolvePage(store, id, state, seq);
    // The few events may be large, so other requests get their turn in between.
    if (state && state.at < seq) await nextRound();
  }
  return state?.head ?? null;
}

interface HeadAt {
  readonly head: SessionHead | null;
  readonly at: number;
}

/** Null if there are no more events. A separate function, because a loop that waits still holds its last page. */
async function evolvePage(
  store: StreamStore,
  id: string,
  { head, at }: HeadAt,
  seq: number,
): Promise<HeadAt | null> {
  const page = { after: at, limit: Math.min(seq - at, 500), bytes: LIMITS.PAGE_BYTES };
  const events = await readEvents(store, id, page);
  if (events.length === 0) return null;
  return { head: events.map(knownEvent).reduce(evolveSession, head), at: at + events.length };
}

/** A stored event with a known type; an event of a newer version is refused rather than guessed at. */
export function knownEvent(event: StoredEvent): SessionEvent {
  if (isSessionEvent(event)) return event;
  throw new BelayError(refuseUnknownEvent(event));
}
