/** How long an answer may wait for others, in milliseconds, unless one of them takes longer itself. */
const MOST_MS = 1;

/** With fewer answers in one turn of the event loop, waiting would take longer than it saves. */
const FEW = 4;

/**
 * Sends the answers to requests that arrived together one right after the other. Sending wakes the client up, which
 * costs more than a small answer itself if it happens between any two of them. With few clients, each answer is sent at
 * once.
 */
export class AnswerBatch {
  #waiting: (() => void)[] = [];
  #since = 0;
  /** The answers in this turn of the event loop, and in the last one that had any. */
  #count = 0;
  #before = 0;

  /** Calls `send` before the server reads further requests. */
  add(send: () => void): void {
    this.#count += 1;
    if (this.#count === 1) {
      this.#since = performance.now();
      setImmediate(() => this.#endTurn());
    }
    if (this.#before < FEW) send();
    else {
      this.#waiting.push(send);
      if (performance.now() - this.#since > MOST_MS) this.#sendAll();
    }
  }

  #endTurn(): void {
    this.#before = this.#count;
    this.#count = 0;
    this.#sendAll();
  }

  #sendAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}
