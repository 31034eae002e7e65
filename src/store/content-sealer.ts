import type { CheckedPatch } from "./append-rules.ts";
import type { BlobCoding } from "./blob-store.ts";
import type { Content } from "./content.ts";
import type { Idempotency, ListingValues, NewEvent, StreamStore } from "./stream-store.ts";

/** A stream whose key is created before its contents are encrypted. */
export interface SealedWriter {
  readonly writer: string;
  readonly owner: string;
  /** For a fork: the stream that wrote the last inherited event, and the seq of that event. */
  readonly base: { readonly writer: string; readonly seq: number } | null;
}

/** Converts stored contents and texts to their form in an encrypted store. */
export interface ContentSealer {
  streamKey(key: string): string;
  name(owner: string, name: string): string;
  rowKey(kind: string, key: string | null): string | null;
  listing(listing: ListingValues): ListingValues;
  idempotency(given: Idempotency): Idempotency;
  body(writer: string, event: Omit<NewEvent, "data">, body: Content): Uint8Array;
  patch(writer: string, patch: CheckedPatch): Uint8Array;
  head(
    place: { readonly writer: string; readonly seq: number; readonly streamKey: string },
    head: Content,
  ): Uint8Array;
  blob(writer: string): BlobCoding;
}

/** Creates the key ring in the new store, and a key for each writer, or finds those that an interrupted call has created. */
export type PrepareSealer = (
  store: StreamStore,
  writers: readonly SealedWriter[],
) => Promise<ContentSealer>;
