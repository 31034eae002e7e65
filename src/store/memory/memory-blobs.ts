import { AS_THEY_ARE, type BlobStore } from "../blob-store.ts";
import { cutChunks } from "../blobs/cut-chunks.ts";
import { decodeChunks } from "../blobs/decode-chunks.ts";
import { expectRoom } from "../expect-room.ts";
import { streamGone } from "../stream-gone.ts";
import type { MemoryBacking } from "./memory-backing.ts";

export function memoryBlobs(backing: MemoryBacking): BlobStore {
  return {
    async put(id, source, coding = AS_THEY_ARE, most) {
      const chunks: Uint8Array[] = [];
      const cut = cutChunks(source);
      let step = await cut.next();
      for (; !step.done; step = await cut.next()) {
        chunks.push(Buffer.from(coding.encode(step.value, chunks.length)));
      }
      const blob = step.value;
      const stream = backing.streams.get(id);
      if (!stream) throw streamGone(id);
      const name = coding.nameOf(blob.digest);
      const added = !stream.blobs.has(name);
      if (added) expectRoom(stream.owner, usedBy(backing, stream.owner), blob.size, most);
      if (!backing.blobs.has(name)) backing.blobs.set(name, { ...blob, chunks });
      const { owner, events } = stream;
      if (added) stream.blobs.set(name, { seq: events.length, writer: id, owner });
      return { ...blob, added };
    },

    async get(id, digest, coding = AS_THEY_ARE) {
      const name = coding.nameOf(digest);
      const isHeld = backing.streams.get(id)?.blobs.has(name);
      const blob = isHeld ? backing.blobs.get(name) : undefined;
      return (
        blob && {
          digest,
          size: blob.size,
          bytes: () => decodeChunks(digest, copies(blob.chunks), coding),
        }
      );
    },

    async drop(id, digest, coding = AS_THEY_ARE) {
      backing.streams.get(id)?.blobs.delete(coding.nameOf(digest));
      sweepBlobs(backing);
    },

    used: async (owner) => usedBy(backing, owner),
  };
}

/** A reader may change the bytes that it gets. */
function* copies(chunks: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const chunk of chunks) yield Uint8Array.from(chunk);
}

function usedBy({ streams, blobs }: MemoryBacking, owner: string): number {
  // A blob that forks share counts once.
  const sizes = new Map<string, number>();
  for (const stream of streams.values()) {
    for (const [name, held] of stream.blobs) {
      if (held.owner === owner) sizes.set(`${held.writer} ${name}`, blobs.get(name)?.size ?? 0);
    }
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** Removes blobs that no stream holds. */
export function sweepBlobs({ blobs, streams }: MemoryBacking): void {
  const held = new Set([...streams.values()].flatMap((stream) => [...stream.blobs.keys()]));
  for (const digest of blobs.keys()) if (!held.has(digest)) blobs.delete(digest);
}
