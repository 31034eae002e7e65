import type { ListingDeclaration, RowQuery } from "../../contract/stream.ts";
import type { ListFilter, ListingValues, StreamRead, StreamRef } from "../stream-store.ts";
import type { IndexHashes } from "./index-hashes.ts";

/** Listing fields that stay readable: their values are from short lists of Belay, or name a program. */
const READABLE: ReadonlySet<string> = new Set(["status", "phase", "agent", "interface"]);

/**
 * The additional bytes of pages of the inner store: encrypted contents are longer, and pages are cut again by their
 * decrypted size.
 */
const ROOM = 1024 * 1024;

/** Converts the texts that are searched to their form in the inner store. */
export class SealedTexts {
  readonly #hashes: IndexHashes;
  readonly #fields: ReadonlySet<string>;

  constructor(hashes: IndexHashes, { fields, tally }: ListingDeclaration) {
    this.#hashes = hashes;
    this.#fields = new Set(
      Object.keys(fields).filter(
        (name) => fields[name] === "text" && name !== tally.by && !READABLE.has(name),
      ),
    );
  }

  toRef(ref: StreamRef): StreamRef {
    if ("id" in ref) return ref;
    return { ...ref, key: ref.key.isWellFormed() ? this.#hashes.sealKey(ref.key) : "" };
  }

  toRowQuery(query: RowQuery): RowQuery {
    const { key } = query;
    return key === undefined ? query : { ...query, key: this.#hashes.rowKey(query.kind, key) };
  }

  toRead({ ref, rows, events, heads }: StreamRead): StreamRead {
    return {
      ref: this.toRef(ref),
      ...(rows && { rows: rows.map((query) => withRoom(this.toRowQuery(query))) }),
      ...(events && { events: events.map(withRoom) }),
      ...(heads && { heads }),
    };
  }

  toListing(listing: ListingValues): ListingValues {
    return Object.fromEntries(
      Object.entries(listing).map(([name, value]) => [name, this.#toValue(name, value)]),
    );
  }

  /** The filter was checked. The result contains no prefix of keys, because the inner store cannot search for one. */
  toFilter({ key_prefix, ...filter }: ListFilter): ListFilter {
    return Object.fromEntries(
      Object.entries(filter).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((one) => this.#toValue(name, one))
          : this.#toValue(name, value),
      ]),
    );
  }

  #toValue<T>(name: string, value: T): T | string {
    const isSealed = typeof value === "string" && this.#fields.has(name);
    return isSealed ? this.#hashes.field(name, value) : value;
  }
}

export function withRoom<T extends { readonly bytes?: number }>(query: T): T {
  const { bytes } = query;
  return bytes === undefined ? query : { ...query, bytes: bytes + ROOM };
}
