import { MOST_HELD } from "../../../service/read/held-pages.ts";

/** The limit for all clients of this process together: half of their total memory, so that nobody waits long. */
const MOST_UNTAKEN = MOST_HELD / 2;
/** How long a client may receive nothing, in milliseconds, while all clients together exceed that limit. */
export const CROWDED_MS = 1000;
/** Less than this is normal for any connection. */
const LITTLE = 64 * 1024;

/** The callback of each waiting client, until it was called. */
const waiting = new Map<object, (() => void) | null>();
let total = 0;

/**
 * Counts bytes that a client has not received yet, until the returned function is called. While all clients together
 * exceed the limit, each is warned: a client that receives nothing is then disconnected sooner, and can reconnect and
 * resume.
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

/** Each is warned once, so that its time does not restart. */
function hurryAll(): void {
  for (const [client, hurry] of waiting) {
    if (hurry === null) continue;
    waiting.set(client, null);
    hurry();
  }
}
