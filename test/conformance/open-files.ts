import type { StoreSettings } from "../../src/store/conformance/suite.ts";
import { openFilesStore } from "../../src/store/files/open-files-store.ts";

/** Not synced, because the suite kills processes and not the machine. */
export function openFiles(
  place: Pick<StoreSettings, "folder" | "isAlive"> & Partial<StoreSettings>,
) {
  return openFilesStore({ ...place, sync: false });
}
