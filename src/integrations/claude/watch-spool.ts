import { watch } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";

/** Calls back when a hook may have left something in the spool. Returns a function that stops it. */
export function watchSpool(home: string, onChange: () => void): () => void {
  try {
    const folder = join(home, "spool");
    makeFolder(folder);
    const watcher = watch(folder, { persistent: false }, onChange);
    // Without it the spool is looked through now and then.
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
}
