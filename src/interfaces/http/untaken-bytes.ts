import { MOST_HELD } from "../../service/read/held-pages.ts";

/** Of all clients of this process together: half of what they may hold, so that no one waits long for room. */
const MOST_UNTAKEN = MOST_HELD / 2;
/** Milliseconds that a client may take nothing while all clients together hold more than that. */
export const CROWDED_MS = 1000;
/** Less than this is what any connection has on its way. */
const LITTLE = 64 * 1024;

/** How to tell each client that waits, until it was told. */
const waiting = new Map<object, (() => void) | null>();
let total = 0;

/**
 * Counts what a client has been given and has not taken, until the answer is called. While all clients together hold too
 * much, each of them is told to hurry: who takes nothing is let go sooner, and can come back and go on where it was.
 */
export function countUntaken(bytes: number, hurry: () => void): () => void {
  if (bytes < LITTLE) return () => {};
  const client = {};
  waiting.set(client, hurry);
  total += bytes;
  if (total > MOST_UNTAKEN) hurryAll();
  return () => {
    if (waiting.delete(client)) total -= bytes;
  };
}

/** Each once: the time that it has does not start again with the next one. */
function hurryAll(): void {
  for (const [client, hurry] of waiting) {
    if (hurry === null) continue;
    waiting.set(client, null);
    hurry();
  }
}
