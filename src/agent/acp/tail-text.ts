/** The last bytes that were written to it. It never makes the writer wait. */
export class TailText {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  add(chunk: Buffer): void {
    // Copied, so that a small piece does not keep its whole buffer in memory.
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

  /** The last lines, for a message to a person. */
  lastLines(count: number, longest: number): string {
    return this.read().split("\n").slice(-count).join("\n").slice(-longest);
  }
}
