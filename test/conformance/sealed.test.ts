import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { alterSqliteBlobs } from "./alter-blobs.ts";
import { openSealedMemory, openSealedSqlite } from "./open-sealed.ts";
import { alterMemoryBlobs } from "./open-shared-memory.ts";
import { sealedSample } from "./sealed-sample.ts";

describeStoreConformance({
  name: "memory, encrypted",
  durable: false,
  open: openSealedMemory,
  reference: openMemoryStore,
  alterBlobs: alterMemoryBlobs,
});

describeStoreConformance({
  name: "sqlite, encrypted",
  durable: { writer: new URL("./sealed-writer.ts", import.meta.url) },
  open: openSealedSqlite,
  reference: openMemoryStore,
  alterBlobs: alterSqliteBlobs,
  ...sealedSample("reopen"),
});
