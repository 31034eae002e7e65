import type { Content } from "../content.ts";
import { freezeParsed } from "../freeze-json.ts";
import { sameBytes } from "./seal-bytes.ts";
import { parseOpened } from "./sealed-content.ts";

interface FoundHead {
  readonly seq: number;
  readonly stored: Uint8Array;
  /** The key and the owner of its stream. */
  readonly key: string;
  readonly owner: string;
}

/** A head that was opened. Most heads are shown once. From the second time on the frozen value is shared. */
export class OpenedHead {
  readonly key: string;
  readonly owner: string;
  readonly #seq: number;
  readonly #stored: Uint8Array;
  readonly #content: Content;
  #isShown = false;
  #shared: unknown;

  constructor({ seq, stored, key, owner }: FoundHead, content: Content, shared?: unknown) {
    this.key = key;
    this.owner = owner;
    this.#seq = seq;
    this.#stored = stored;
    this.#content = content;
    this.#shared = shared;
  }

  /** The same bytes at the same place have the same content. */
  isAt(seq: number, stored: Uint8Array): boolean {
    return this.#seq === seq && sameBytes(this.#stored, stored);
  }

  get value(): unknown {
    if (this.#shared !== undefined) return this.#shared;
    const value = parseOpened(this.#content);
    if (this.#isShown) this.#shared = freezeParsed(value);
    this.#isShown = true;
    return value;
  }

  /** Frozen. Undefined until it was shown twice. */
  get shared(): unknown {
    return this.#shared;
  }
}
