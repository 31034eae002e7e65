import { randomBytes } from "node:crypto";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LIMITS } from "../../contract/limits.ts";
import type { BlobCoding, BlobStore } from "../blob-store.ts";
import { streamGone } from "../stream-gone.ts";
import type { StreamStore } from "../stream-store.ts";
import type { IndexHashes } from "./index-hashes.ts";
import type { DataKey, KeyRing } from "./key-ring.ts";
import { cannotOpen, openBytes, sealBytes } from "./seal-bytes.ts";
import { keyIdOf } from "./sealed-content.ts";

const ID_BYTES = 8;
const HEADER_BYTES = 1 + ID_BYTES;
const AS_IS = 0x10;
const PACKED = 0x11;
const SAMPLE = 16 * 1024;

/**
 * Blobs, encrypted chunk by chunk with the key of the stream that put them. So equal bytes are stored once for each
 * stream, and become unreadable when its key is destroyed. A fork reads shared blobs with the keys of its ancestors.
 */
export function sealedBlobs(store: StreamStore, blobs: BlobStore, ring: KeyRing): BlobStore {
  return {
    async put(id, source, _coding, most) {
      const [key] = await keysOf(id);
      if (key) return blobs.put(id, source, codingOf(key, ring.hashes), most);
      throw streamGone(id);
    },

    async get(id, digest) {
      for (const key of await keysOf(id)) {
        const found = await blobs.get(id, digest, codingOf(key, ring.hashes));
        if (found) return found;
      }
      return undefined;
    },

    async drop(id, digest) {
      for (const key of await keysOf(id)) await blobs.drop(id, digest, codingOf(key, ring.hashes));
    },

    used: (owner) => blobs.used(owner),
  };

  /** The stream's own key first, then those of the streams that it continues. */
  async function keysOf(id: string): Promise<DataKey[]> {
    const [part] = await store.read([{ ref: { id } }]);
    const keys: DataKey[] = [];
    for (let next = part && keyIdOf(part.stream.head); next !== undefined; ) {
      await ring.load([next]);
      const key: DataKey | undefined = ring.find(next);
      if (!key) throw cannotOpen();
      keys.push(key);
      next = key.base?.key;
    }
    return keys;
  }
}

/** Encrypts the chunks of one blob under the key of a stream. */
export function codingOf({ id, secret }: DataKey, hashes: IndexHashes): BlobCoding {
  // All chunks of a blob contain this id, so none can be exchanged for a chunk of another blob.
  let blob = randomBytes(ID_BYTES);
  const place = (nth: number) => `blob\0${id}\0${nth}`;
  return {
    nameOf: (digest) => hashes.blob(id, digest),
    encode(chunk, nth) {
      const sample = chunk.subarray(0, SAMPLE);
      const pays = zstdCompressSync(sample).length < sample.length * 0.9;
      const header = Buffer.concat([Uint8Array.of(pays ? PACKED : AS_IS), blob]);
      return sealBytes(secret, place(nth), header, pays ? zstdCompressSync(chunk) : chunk);
    },
    decode(stored, nth) {
      const own = Buffer.from(stored.subarray(1, HEADER_BYTES));
      if (nth === 0) blob = own;
      if (!own.equals(blob)) throw cannotOpen();
      const plain = openBytes(secret, place(nth), HEADER_BYTES, stored);
      return stored[0] === PACKED
        ? zstdDecompressSync(plain, { maxOutputLength: LIMITS.BLOB_CHUNK })
        : plain;
    },
  };
}
