import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { createBacking, type MemoryBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

const backings = new Map<string, MemoryBacking>();

describeStoreConformance({
  name: "memory",
  durable: false,
  open: ({ folder, isAlive }) => {
    const shared = backings.get(folder) ?? createBacking();
    backings.set(folder, shared);
    return openMemoryStore({ shared, isAlive });
  },
  reference: openMemoryStore,
});
