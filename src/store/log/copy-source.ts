import type { StreamKind } from "../../contract/vocabulary.ts";
import type { CheckedPatch } from "../append-rules.ts";
import type { Content } from "../content.ts";
import type { ListingValues } from "../stream-store.ts";
import type { EventMeta } from "./hash-event.ts";

/** A store whose contents can be copied into another store as they are, encrypted or not. */
export interface Copyable {
  /** Opens everything in the store as of one moment. */
  openSource(): Promise<CopySource>;
  /** Stores the facts that no transaction can write. */
  adopt(marks: CopyMarks): Promise<void>;
}

export interface CopyMarks {
  readonly tombstones: readonly CopiedTombstone[];
  /** The epoch that the leases of each stream have reached. */
  readonly epochs: ReadonlyMap<string, number>;
}

/** The last event of a purged stream. */
export interface CopiedTombstone {
  readonly id: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

/** Everything in a store as of one moment. */
export interface CopySource {
  /** The number of events that `readEvents` returns. */
  countEvents(): Promise<number>;
  /** The events of all streams that are not purged, in the order of the feed, inherited ones left out. */
  readEvents(): AsyncIterable<RawEvent>;
  readStreams(): Promise<ReadonlyMap<string, CopiedStream>>;
  readTombstones(): Promise<readonly CopiedTombstone[]>;
  /** Events that a stream inherits. */
  readInherited(id: string, from: number, to: number): Promise<readonly RawEvent[]>;
  /** The events of a stream after which something was stored with the events up to there. */
  readCuts(id: string): Promise<ReadonlySet<number>>;
  /** The parts of a stream that were stored with these events. */
  readParts(id: string, from: number, to: number): Promise<CopiedParts>;
  /** The blobs that a stream holds, and those that it shares. */
  readBlobs(id: string): Promise<readonly CopiedBlob[]>;
  readChunk(blob: CopiedBlob, nth: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** An event as a store keeps it, with everything that its hash covers. */
export interface RawEvent {
  readonly stream: string;
  /** The stream that wrote it; for an inherited event, an ancestor. */
  readonly writer: string;
  readonly meta: EventMeta;
  readonly body: Content;
  readonly hash: string;
}

export interface CopiedStream {
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly epoch: number;
  readonly listing: ListingValues;
  /** The streams that wrote the inherited events, oldest first, each up to an event. They may be purged. */
  readonly writers: readonly { readonly id: string; readonly upto: number }[];
}

export interface CopiedParts {
  readonly patches: readonly CheckedPatch[];
  readonly names: readonly string[];
  /** Null if no head was stored at the last of the events. */
  readonly head: Content | null;
}

export interface CopiedBlob {
  /** Unique in its source. */
  readonly place: string;
  /** The digest under which it is stored. */
  readonly name: string;
  readonly size: number;
  /** The event after which it was stored. */
  readonly seq: number;
}
