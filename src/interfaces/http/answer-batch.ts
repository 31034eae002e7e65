/** How long an answer may wait for others, in milliseconds, unless one of them takes longer itself. */
const MOST_MS = 1;

/**
 * Sends the answers to requests that arrived together one right after the other. Sending wakes the client up, which
 * costs more than a small answer itself if it happens between any two of them.
 */
export class AnswerBatch {
  #waiting: (() => void)[] = [];
  #since = 0;

  /** Calls `send` before the server reads further requests. */
  add(send: () => void): void {
    if (this.#waiting.push(send) === 1) {
      this.#since = performance.now();
      setImmediate(() => this.#send());
    } else if (performance.now() - this.#since > MOST_MS) this.#send();
  }

  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}
