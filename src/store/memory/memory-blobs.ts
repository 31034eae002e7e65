import { BelayError, refuse } from "../../contract/errors.ts";
import type { BlobStore } from "../blob-store.ts";
import { cutChunks } from "../blobs/cut-chunks.ts";
import type { MemoryBacking } from "./memory-backing.ts";

export function memoryBlobs(backing: MemoryBacking): BlobStore {
  return {
    async put(id, source) {
      const chunks: Uint8Array[] = [];
      const cut = cutChunks(source);
      let step = await cut.next();
      for (; !step.done; step = await cut.next()) chunks.push(Buffer.from(step.value));
      const blob = step.value;
      const stream = backing.streams.get(id);
      if (!stream)
        throw new BelayError(refuse("internal", `Stream ${id} of this blob does not exist.`));
      if (!backing.blobs.has(blob.digest)) backing.blobs.set(blob.digest, { ...blob, chunks });
      const added = !stream.blobs.has(blob.digest);
      if (added) stream.blobs.set(blob.digest, stream.events.length);
      return { ...blob, added };
    },

    async get(id, digest) {
      const isHeld = backing.streams.get(id)?.blobs.has(digest);
      const blob = isHeld ? backing.blobs.get(digest) : undefined;
      return (
        blob && {
          digest,
          size: blob.size,
          async *bytes() {
            for (const chunk of blob.chunks) yield Buffer.from(chunk);
          },
        }
      );
    },

    async drop(id, digest) {
      backing.streams.get(id)?.blobs.delete(digest);
      sweepBlobs(backing);
    },
  };
}

/** Removes blobs that no stream holds. */
export function sweepBlobs({ blobs, streams }: MemoryBacking): void {
  const held = new Set([...streams.values()].flatMap((stream) => [...stream.blobs.keys()]));
  for (const digest of blobs.keys()) if (!held.has(digest)) blobs.delete(digest);
}
