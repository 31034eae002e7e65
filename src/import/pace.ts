import { setImmediate } from "node:timers/promises";

/** Other tasks wait no longer than this plus one step. */
const HOLD_MS = 10;

/** Lets long work yield the event loop from time to time: `if (pace.isDue) await pace.rest()`. */
export class Pace {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since >= HOLD_MS;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
