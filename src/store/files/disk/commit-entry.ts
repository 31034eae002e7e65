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
  readonly dropped: { readonly id: string; readonly key: string };
}

export interface CommittedBlob {
  /** The hash of its name and a secret of its stream, so that nobody can guess it after a purge. */
  readonly key: string;
  readonly size: number;
  /** The event of the stream after which it was stored. */
  readonly seq: number;
  /** The hash of the note beside its bytes, which has the key and the checksum of each chunk. */
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
