/**
 * Stores contents that are too large for an event. Each is stored once, under the digest of its
 * bytes, as long as a stream holds it. An event refers to it by its digest. The suite in
 * conformance/blobs checks every sentence here.
 */
export interface BlobStore {
  /**
   * Stores these bytes for a stream, and resolves once they are on disk. Equal bytes are stored
   * once. More than `LIMITS.BLOB_BYTES` are refused with `too_large`. If the source fails or its
   * process ends, nothing of it can be read. If all streams of the owner would hold more than `most`
   * bytes with it, it is refused with `quota_exceeded`, however many are put at once. Without the stream it is refused with
   * `session_not_found`.
   */
  put(id: string, source: ByteSource, coding?: BlobCoding, most?: number): Promise<PutBlob>;

  /**
   * Returns a blob that this stream holds, or that it shares with the stream it was forked from:
   * stored there before the fork point. Undefined for every other. If it is removed before all of its bytes are read,
   * they end with `file_not_found`.
   */
  get(id: string, digest: string, coding?: BlobCoding): Promise<StoredBlob | undefined>;

  /**
   * Releases the blob for this stream. Its bytes are deleted when the last stream releases it or is
   * purged.
   */
  drop(id: string, digest: string, coding?: BlobCoding): Promise<void>;

  /**
   * The bytes of the blobs that the streams of an owner put: equal bytes count once for each stream
   * that put them. A fork does not count again what it shares. If a purged stream leaves a blob to
   * forks, the blob counts once for its owner or theirs.
   */
  used(owner: string): Promise<number>;
}

/**
 * How a layer over this store writes a blob. Sizes, and the digests that callers see, are those of the original bytes.
 */
export interface BlobCoding {
  /** Under which digest it is kept: 64 hexadecimal digits. */
  nameOf(digest: string): string;
  encode(chunk: Uint8Array, nth: number): Uint8Array;
  decode(stored: Uint8Array, nth: number): Uint8Array;
}

/** As the bytes are. */
export const AS_THEY_ARE: BlobCoding = {
  nameOf: (digest) => digest,
  encode: (chunk) => chunk,
  decode: (stored) => stored,
};

/** Bytes in pieces of any size, available at once or over time. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface BlobRef {
  /** SHA-256 of the bytes, in hex. */
  readonly digest: string;
  readonly size: number;
}

export interface PutBlob extends BlobRef {
  /** False if the stream already held it. */
  readonly added: boolean;
}

export interface StoredBlob extends BlobRef {
  /**
   * Chunks of at most `LIMITS.BLOB_CHUNK`, read on demand; each belongs to its reader. A damaged
   * chunk throws and is not returned. The last one is returned after the digest of all was checked.
   */
  bytes(): AsyncIterable<Uint8Array>;
}
