import { setTimeout as sleep } from "node:timers/promises";
import type { SharedNotes, StreamStore } from "../store/stream-store.ts";

/**
 * Fairness between callers of one session. A caller that reads a version and writes only if it is still current loses
 * every race against one that writes all the time. So after a failed condition, unconditional changes of that session
 * wait a moment for the next attempt. They are free for as long again afterwards, so that nobody can hold a session.
 *
 * A store shares the holds with other processes on the same data; without that, they count in this process only.
 */
export class ConditionalTurns {
  readonly #notes: SharedNotes;

  constructor(store: StreamStore) {
    this.#notes = store.notes ?? processNotes;
  }

  /** Waits until no next attempt is expected, at most once for each change and no longer than `HOLD_MS`. */
  async wait(session: string): Promise<void> {
    for (const end = now() + HOLD_MS; now() < end; await sleep(POLL_MS)) {
      const [heldUntil = 0] = this.#notes.read(session) ?? [];
      // More than the longest hold was written before this machine started.
      if (heldUntil <= now() || heldUntil > now() + HOLD_MS) return;
    }
  }

  /** Keeps a session free for the next attempt of a caller whose condition has just failed. */
  hold(session: string): void {
    const [, freeUntil = 0] = this.#notes.read(session) ?? [];
    if (freeUntil > now() && freeUntil <= now() + 2 * HOLD_MS) return;
    this.#notes.write(session, [now() + HOLD_MS, now() + 2 * HOLD_MS]);
  }

  /** The condition was met: others go on. */
  release(session: string): void {
    const [heldUntil = 0] = this.#notes.read(session) ?? [];
    if (heldUntil <= now() || heldUntil > now() + HOLD_MS) return;
    const held = now() - (heldUntil - HOLD_MS);
    this.#notes.write(session, [now(), now() + held]);
  }
}

/** The longest that a change waits for another caller's condition. */
export const HOLD_MS = 50;
const POLL_MS = 2;

/** Milliseconds that only rise, the same for all processes of this machine. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

const notes = new Map<string, readonly [number, number]>();
/** The oldest of more than these are over. */
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
