import type { ContentLimits } from "../../src/store/append-rules.ts";
import type { AlterBlobs, StoreSettings } from "../../src/store/conformance/suite.ts";
import { createBacking, type MemoryBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { changeByte } from "./alter-blobs.ts";

const backings = new Map<string, MemoryBacking>();

/** All stores of one folder share one backing, as if it were a database there. */
export function openSharedMemory({
  folder,
  ...clock
}: StoreSettings & { readonly limits?: ContentLimits }): StreamStore {
  const shared = backings.get(folder) ?? createBacking();
  backings.set(folder, shared);
  return openMemoryStore({ shared, ...clock });
}

export const alterMemoryBlobs: AlterBlobs = (folder, how) => {
  const { blobs } = backings.get(folder) ?? createBacking();
  const [one, other] = [...blobs];
  if (!one || !other) throw new Error("there are not two blobs");
  if (how === "exchange two") {
    blobs.set(one[0], other[1]);
    blobs.set(other[0], one[1]);
    return;
  }
  for (const [name, blob] of [one, other]) {
    blobs.set(name, { ...blob, chunks: blob.chunks.map(changeByte) });
  }
};
