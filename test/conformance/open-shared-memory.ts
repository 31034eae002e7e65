import type { ContentLimits } from "../../src/store/append-rules.ts";
import type { StoreSettings } from "../../src/store/conformance/suite.ts";
import { createBacking, type MemoryBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";

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
