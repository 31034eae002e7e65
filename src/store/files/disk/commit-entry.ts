import type { StreamKind } from "../../../contract/vocabulary.ts";

/** The events that a transaction appended to one stream, and their positions in its files. */
export interface AppendEntry {
  readonly id: string;
  readonly kind: StreamKind;
  readonly from: number;
  readonly to: number;
  readonly log: readonly [from: number, to: number];
  readonly state: readonly [from: number, to: number];
  /** The hash before the first event, and that of the last one. */
  readonly before: string;
  readonly hash: string;
}

interface PurgeEntry {
  readonly purged: Tombstone & { readonly kind: StreamKind };
}

/** A blob that a stream holds from now on. */
interface BlobEntry {
  readonly stored: { readonly id: string; readonly blob: CommittedBlob };
}

/** A blob that a stream does not hold any more. */
interface DropEntry {
  readonly dropped: { readonly id: string; readonly name: string };
}

export interface CommittedBlob {
  readonly name: string;
  readonly size: number;
  /** The event of the stream after which it was stored. */
  readonly seq: number;
  /** The stream that put it, and its owner, for whom it counts. */
  readonly writer: string;
  readonly owner: string;
  /** The hash of the note beside its bytes, which has the checksum of each chunk. */
  readonly note: string;
}

/** The last event of a purged stream. */
export interface Tombstone {
  readonly id: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

export type BlobChange = BlobEntry | DropEntry;
export type CommitEntry = AppendEntry | PurgeEntry | BlobChange;
