import { setTimeout as sleep } from "node:timers/promises";
import type { SharedNotes, StreamStore } from "../store/stream-store.ts";

/**
 * Keeps callers of one session from starving each other. A caller that reads a version and writes only if it is still
 * current loses every race against one that writes all the time. So after a failed condition, unconditional changes of
 * that session wait briefly for the next attempt. Afterwards they are free for the same time, so that no caller can
 * block a session.
 *
 * A store shares the holds with other processes on the same data; without that, they only count in this process.
 */
export class ConditionalTurns {
  readonly #notes: SharedNotes;

  constructor(store: StreamStore) {
    this.#notes = store.notes ?? processNotes;
  }

  /** True while a conditional attempt is expected. */
  isHeld(session: string): boolean {
    const note = this.#notes.read(session);
    if (!note) return false;
    const [heldUntil] = note;
    // A later time than the longest hold was written before this machine started.
    return heldUntil > now() && heldUntil <= now() + HOLD_MS;
  }

  /** Waits until no conditional attempt is expected, at most once for each change and at most `HOLD_MS`. */
  async wait(session: string): Promise<void> {
    const end = now() + HOLD_MS;
    while (this.isHeld(session) && now() < end) await sleep(POLL_MS);
  }

  /** Reserves a session for the next attempt of a caller whose condition just failed. */
  hold(session: string): void {
    const [, freeUntil = 0] = this.#notes.read(session) ?? [];
    if (freeUntil > now() && freeUntil <= now() + 2 * HOLD_MS) return;
    this.#notes.write(session, [now() + HOLD_MS, now() + 2 * HOLD_MS]);
  }

  /** The condition was met, so other callers continue. */
  release(session: string): void {
    const [heldUntil = 0] = this.#notes.read(session) ?? [];
    if (heldUntil <= now() || heldUntil > now() + HOLD_MS) return;
    const held = now() - (heldUntil - HOLD_MS);
    this.#notes.write(session, [now(), now() + held]);
  }
}

/** The longest time that a change waits for another caller's condition. */
export const HOLD_MS = 50;
const POLL_MS = 2;

/** A monotonic clock in milliseconds, the same for all processes of this machine. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const notes = new Map<string, readonly [number, number]>();
/** Beyond this number, the oldest notes have expired. */
const MOST_NOTES = 1000;

const processNotes: SharedNotes = {
  read: (key) => notes.get(key) ?? null,
  write(key, note) {
    notes.delete(key);
    notes.set(key, note);
    const [oldest] = notes.keys();
    if (notes.size > MOST_NOTES && oldest !== undefined) notes.delete(oldest);
  },
};
