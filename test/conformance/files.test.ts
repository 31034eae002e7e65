import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { alterFilesBlobs } from "./alter-blobs.ts";
import { openFiles } from "./open-files.ts";

describeStoreConformance({
  name: "files",
  durable: { writer: new URL("./files-writer.ts", import.meta.url) },
  open: openFiles,
  reference: openMemoryStore,
  alterBlobs: alterFilesBlobs,
});
