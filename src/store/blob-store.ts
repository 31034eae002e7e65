/**
 * Contents that are too large for an event, beside the log: each is kept once, under the digest of its bytes, for as long
 * as a stream holds it. An event that needs one names its digest. Every sentence here is held by conformance/blobs.
 */
export interface BlobStore {
  /**
   * Keeps these bytes for a stream, and resolves once they are on disk. Bytes that are there already are kept once. At
   * most `LIMITS.BLOB_BYTES`, or it is refused with `too_large`; where the source fails, or its process ends, nothing of
   * it can be read.
   */
  put(id: string, source: ByteSource): Promise<PutBlob>;

  /**
   * One that this stream holds, or that it shares with the one it was forked from: put there before the event at which
   * the two part. Undefined for every other.
   */
  get(id: string, digest: string): Promise<StoredBlob | undefined>;

  /** This stream needs it no more. With the last that does, also by purging, its bytes go. */
  drop(id: string, digest: string): Promise<void>;
}

/** Bytes in pieces of any size, as they come or all at hand. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface BlobRef {
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
  readonly size: number;
}

export interface PutBlob extends BlobRef {
  /** False where the stream held it already. */
  readonly added: boolean;
}

export interface StoredBlob extends BlobRef {
  /** Chunks of at most `LIMITS.BLOB_CHUNK`, read as they are asked for; each is its reader's own. Damaged ones throw, and are not given out. */
  bytes(): AsyncIterable<Uint8Array>;
}
