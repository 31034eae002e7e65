import { BelayError, refuse } from "../../../contract/errors.ts";

interface PaceLimits {
  /** The most requests of one caller in a span. */
  readonly each: number;
  /** The most requests of all callers in a span; this also limits the memory. */
  readonly all: number;
  readonly span_ms: number;
}

/** Counts requests per caller, and refuses those that come too often. */
export class RequestPace {
  readonly #limits: PaceLimits;
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();
  #all = 0;
  #until = 0;

  constructor(limits: PaceLimits, now: () => number = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws if the caller, or all callers together, have used up the requests of this span. */
  take(caller: string): void {
    const now = this.#now();
    // A clock that was set back must not lengthen the span.
    if (now >= this.#until || now < this.#until - this.#limits.span_ms) this.#startSpan(now);
    const count = this.#counts.get(caller) ?? 0;
    if (count >= this.#limits.each || this.#all >= this.#limits.all) {
      const seconds = Math.ceil((this.#until - now) / 1000);
      const message = `Too many requests. Try again in ${seconds} s.`;
      throw new BelayError(refuse("too_many_requests", message, { retry_after: seconds }));
    }
    this.#counts.set(caller, count + 1);
    this.#all += 1;
  }

  /** Does not count a request that `take` allowed. */
  giveBack(caller: string): void {
    const count = this.#counts.get(caller) ?? 0;
    if (count === 0) return;
    this.#counts.set(caller, count - 1);
    this.#all -= 1;
  }

  #startSpan(now: number): void {
    this.#until = now + this.#limits.span_ms;
    this.#counts.clear();
    this.#all = 0;
  }
}
