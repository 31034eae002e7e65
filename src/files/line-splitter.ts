/** A line of a stream, or the two ends of one that was too long. */
export type SplitLine =
  | { readonly kind: "line"; readonly bytes: Buffer }
  | {
      readonly kind: "oversized";
      readonly size: number;
      readonly head: string;
      readonly tail: string;
    };

const ENDS_KEPT = 4096;
const NEWLINE = 10;

/**
 * Cuts a stream of bytes into lines. Lines stay bytes until they are complete, so no character is split; only the two
 * ends of an oversized line are kept.
 */
export class LineSplitter {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #size = 0;
  #head: Buffer | null = null;
  #tail = Buffer.alloc(0);

  constructor(longest: number) {
    this.#longest = longest;
  }

  *push(chunk: Buffer): Generator<SplitLine> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at));
      from = at + 1;
      const line = this.#finishLine();
      if (line) yield line;
    }
    this.#add(chunk.subarray(from));
  }

  /** The text after the last newline, once the stream has ended. */
  rest(): SplitLine | null {
    return this.#finishLine();
  }

  #add(part: Buffer): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#head === null) {
      this.#parts.push(part);
      if (this.#size <= this.#longest) return;
      const whole = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#head = Buffer.from(whole.subarray(0, ENDS_KEPT));
      this.#tail = Buffer.from(whole.subarray(-ENDS_KEPT));
      return;
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part]).subarray(-ENDS_KEPT));
  }

  #finishLine(): SplitLine | null {
    const line = this.#read();
    this.#parts = [];
    this.#size = 0;
    this.#head = null;
    this.#tail = Buffer.alloc(0);
    return line;
  }

  #read(): SplitLine | null {
    if (this.#head) {
      const [head, tail] = [this.#head.toString(), this.#tail.toString()];
      return { kind: "oversized", size: this.#size, head, tail };
    }
    const [first] = this.#parts;
    if (first === undefined) return null;
    const bytes = this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
    return { kind: "line", bytes };
  }
}
