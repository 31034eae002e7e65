import { setImmediate as nextRound } from "node:timers/promises";
import type { Steps } from "../../redaction/steps.ts";

/** The time after which others get their turn. */
const TURN_MS = 20;

/** Does the work, and lets others be answered in between. */
export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const until = performance.now() + TURN_MS;
    do {
      const { done, value } = steps.next();
      if (done) return value;
    } while (performance.now() < until);
    await nextRound();
  }
}
