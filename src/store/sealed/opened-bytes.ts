import { tagOf } from "./seal-bytes.ts";

interface Opened {
  readonly stored: Uint8Array;
  readonly place: string;
  readonly plain: Buffer;
}

/** Larger contents are read rarely, and would push out many others. */
const LARGEST = 64 * 1024;

/** Contents that were opened a moment ago, so that reading them again takes no decryption. Nobody may alter them. */
export class OpenedBytes {
  readonly #most: number;
  readonly #opened = new Map<string, Opened>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The same bytes in the same place have the same content. */
  get(stored: Uint8Array, place: string, open: () => Buffer): Buffer {
    const tag = tagOf(stored);
    const known = this.#opened.get(tag);
    if (known?.place === place && Buffer.compare(known.stored, stored) === 0) return known.plain;
    const plain = open();
    if (plain.length <= LARGEST && !known) this.#add(tag, { stored, place, plain });
    return plain;
  }

  #add(tag: string, opened: Opened): void {
    this.#opened.set(tag, opened);
    this.#bytes += sizeOf(opened);
    for (const [first, oldest] of this.#opened) {
      if (this.#bytes <= this.#most) return;
      this.#opened.delete(first);
      this.#bytes -= sizeOf(oldest);
    }
  }
}

function sizeOf({ stored, plain }: Opened): number {
  return stored.length + plain.length;
}
