import { freezeParsed } from "../freeze-json.ts";
import { sameBytes, tagOf } from "./seal-bytes.ts";
import {
  isSamePlace,
  type OpenedContent,
  parseOpened,
  type SealedPlace,
} from "./sealed-content.ts";

export interface ParsedContent extends Omit<OpenedContent, "content"> {
  readonly value: unknown;
}

interface KnownContent {
  readonly stored: Uint8Array;
  readonly place: SealedPlace;
  readonly parsed: ParsedContent;
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
  get(stored: Uint8Array, place: SealedPlace, open: () => OpenedContent): ParsedContent {
    const tag = tagOf(stored);
    const known = this.#known.get(tag) ?? this.#older.get(tag);
    const isSame = known && isSamePlace(known.place, place) && sameBytes(known.stored, stored);
    if (isSame) return known.parsed;
    const { content, bytes, extras } = open();
    const parsed = { value: parseOpened(content), bytes, extras };
    // Bytes cannot be frozen, so each reader gets its own.
    if (known || bytes > LARGEST || typeof content !== "string") return parsed;
    freezeParsed(parsed.value);
    this.#add(tag, { stored, place, parsed });
    return parsed;
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
function sizeOf({ stored, parsed }: KnownContent): number {
  return stored.length + 2 * parsed.bytes;
}
