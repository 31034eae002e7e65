import { freezeParsed } from "../freeze-json.ts";
import { tagOf } from "./seal-bytes.ts";

export interface OpenedContent {
  readonly value: unknown;
  /** As JSON, or of the bytes that were handed in. */
  readonly bytes: number;
  /** Texts that are sealed with it. */
  readonly extras: readonly (string | null)[];
}

interface KnownContent {
  readonly stored: Uint8Array;
  readonly place: string;
  readonly opened: OpenedContent;
}

/** Larger contents are read rarely, and would push out many others. */
const LARGEST = 64 * 1024;

/** Contents that were opened a moment ago, so that reading them again takes no decryption and no parsing. They are frozen. */
export class OpenedContents {
  readonly #most: number;
  /** Half of the bytes at most; the other half belongs to those that were added before. */
  #known = new Map<string, KnownContent>();
  #older = new Map<string, KnownContent>();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The same bytes in the same place have the same content. */
  get(stored: Uint8Array, place: string, open: () => OpenedContent): OpenedContent {
    const tag = tagOf(stored);
    const known = this.#known.get(tag) ?? this.#older.get(tag);
    if (known?.place === place && Buffer.compare(known.stored, stored) === 0) return known.opened;
    const opened = open();
    // Bytes cannot be frozen, so each reader gets its own.
    if (known || opened.bytes > LARGEST || opened.value instanceof Uint8Array) return opened;
    freezeParsed(opened.value);
    this.#add(tag, { stored, place, opened });
    return opened;
  }

  /** Forgets the older half at once: a map from which single keys were deleted finds its oldest key slowly. */
  #add(tag: string, known: KnownContent): void {
    const size = sizeOf(known);
    if (this.#bytes + size > this.#most / 2) {
      this.#older = this.#known;
      this.#known = new Map();
      this.#bytes = 0;
    }
    this.#known.set(tag, known);
    this.#bytes += size;
  }
}

/** A parsed value takes up about twice the bytes of its JSON. */
function sizeOf({ stored, opened }: KnownContent): number {
  return stored.length + 2 * opened.bytes;
}
