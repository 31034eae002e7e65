import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { alterSqliteBlobs } from "./alter-blobs.ts";

describeStoreConformance({
  name: "sqlite",
  durable: { writer: new URL("./sqlite-writer.ts", import.meta.url) },
  open: openSqliteStore,
  reference: openMemoryStore,
  alterBlobs: alterSqliteBlobs,
});
