import { freezeParsed } from "../freeze-json.ts";
import { sameBytes } from "./seal-bytes.ts";
import { type OpenedContent, parseOpened, type SealedPlace } from "./sealed-content.ts";

export interface ParsedContent extends Omit<OpenedContent, "content"> {
  readonly value: unknown;
}

interface KnownContent {
  readonly stored: Uint8Array;
  readonly parsed: ParsedContent;
}

/** By the stream that wrote them, and by their place in it. */
type Contents = Map<string, Map<number | string, KnownContent>>;

/** Larger contents are rarely read, and would displace many others. */
const LARGEST = 64 * 1024;

/** Contents that were opened a moment ago, so that reading them again takes no decryption and no parsing. They are frozen. */
export class OpenedContents {
  readonly #most: number;
  /** At most half of the bytes; the other half is for contents that were added before. */
  #known: Contents = new Map();
  #older: Contents = new Map();
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The same bytes in the same place have the same content. */
  get(stored: Uint8Array, place: SealedPlace, open: () => OpenedContent): ParsedContent {
    const { writer } = place;
    const slot = slotOf(place);
    const known = this.#known.get(writer)?.get(slot) ?? this.#older.get(writer)?.get(slot);
    if (known && sameBytes(known.stored, stored)) return known.parsed;
    const { content, bytes, extras } = open();
    const parsed = { value: parseOpened(content), bytes, extras };
    // Bytes cannot be frozen, so each reader gets its own.
    if (bytes > LARGEST || typeof content !== "string") return parsed;
    freezeParsed(parsed.value);
    this.#add(writer, slot, { stored, parsed });
    return parsed;
  }

  /** Forgets the older half at once: a map from which single keys were deleted finds its oldest key slowly. */
  #add(writer: string, slot: number | string, known: KnownContent): void {
    const size = sizeOf(known);
    if (this.#bytes + size > this.#most / 2) {
      this.#older = this.#known;
      this.#known = new Map();
      this.#bytes = 0;
    }
    const contents = this.#known.get(writer);
    if (contents) contents.set(slot, known);
    else this.#known.set(writer, new Map([[slot, known]]));
    this.#bytes += size;
  }
}

/** An event has one body, and any number of patches. */
function slotOf({ seq, item }: SealedPlace): number | string {
  return item ? `${seq} ${item.place} ${item.nth} ${item.kind}` : seq;
}

/** A parsed value takes up about twice the bytes of its JSON. */
function sizeOf({ stored, parsed }: KnownContent): number {
  return stored.length + 2 * parsed.bytes;
}
