import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { alterMemoryBlobs, openSharedMemory } from "./open-shared-memory.ts";

describeStoreConformance({
  name: "memory",
  durable: false,
  open: openSharedMemory,
  reference: openMemoryStore,
  alterBlobs: alterMemoryBlobs,
});
