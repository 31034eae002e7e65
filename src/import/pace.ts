import { setImmediate } from "node:timers/promises";

/** Others wait no longer than this, and what one step takes. */
const HOLD_MS = 10;

/** Long work lets others use the event loop from time to time: `if (pace.isDue) await pace.rest()`. */
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
