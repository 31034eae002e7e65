import { LIMITS } from "../../contract/limits.ts";
import type { BlobCoding } from "../blob-store.ts";
import type { CopiedBlob, CopySource } from "../log/copy-source.ts";
import type { StreamStore } from "../stream-store.ts";

/** Copies the blobs of a stream that were stored between two events and that the target does not have. */
export async function copyBlobs(
  source: CopySource,
  target: StreamStore,
  id: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (const blob of await source.readBlobs(id)) {
    if (blob.seq < from || blob.seq > to) continue;
    if (await target.blobs?.get(id, blob.name, underName(blob.name))) continue;
    await putBlob(source, target, id, blob);
  }
}

/**
 * The chunks are copied as they are stored, so that encrypted ones stay encrypted. The store counts the size of the
 * bytes that it gets, so it gets as many zeros.
 */
async function putBlob(
  source: CopySource,
  target: StreamStore,
  id: string,
  blob: CopiedBlob,
): Promise<void> {
  const chunks: Uint8Array[] = [];
  async function* zeros() {
    for (let at = 0, nth = 0; at < blob.size; at += LIMITS.BLOB_CHUNK, nth += 1) {
      chunks[nth] = await source.readChunk(blob, nth);
      if (nth > 0) delete chunks[nth - 2];
      yield new Uint8Array(Math.min(LIMITS.BLOB_CHUNK, blob.size - at));
    }
  }
  const encode = (chunk: Uint8Array, nth: number) => chunks[nth] ?? chunk;
  await target.blobs?.put(id, zeros(), { ...underName(blob.name), encode });
}

function underName(name: string): BlobCoding {
  const same = (bytes: Uint8Array) => bytes;
  return { nameOf: () => name, encode: same, decode: same };
}
