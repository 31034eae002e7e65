/** The last bytes of what was written to it, without ever making the writer wait. */
export class TailText {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  add(chunk: Buffer): void {
    // A copy: a small piece must not hold the buffer that it was read into.
    this.#parts.push(Buffer.from(chunk.subarray(-this.#longest)));
    this.#size += Math.min(chunk.length, this.#longest);
    for (let first = this.#parts[0]; first; first = this.#parts[0]) {
      if (this.#size - first.length < this.#longest) return;
      this.#parts.shift();
      this.#size -= first.length;
    }
  }

  read(): string {
    const text = Buffer.concat(this.#parts).subarray(-this.#longest).toString();
    return text.replace(/^�+/, "").trimEnd();
  }

  /** The last lines, for a message that a person reads. */
  lastLines(count: number, longest: number): string {
    return this.read().split("\n").slice(-count).join("\n").slice(-longest);
  }
}
