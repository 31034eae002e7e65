import { join } from "node:path";
import { openFolder } from "../../files/open-folder.ts";
import { removeEmptyFolder, removeFile } from "../../files/remove-file.ts";
import { logFileOf, logFolder } from "../run/write-transcript.ts";

/** Removes the files of a session in the data folder, by its name there: the log of its agent, and questions of recovery. */
export function removeLeftFiles(home: string, name: string): void {
  removeFile(join(logFolder(home), logFileOf(name)));
  const names = ["recovery", name];
  const folder = openFolder({ root: home, names }, { create: false });
  if (!folder) return;
  try {
    for (const file of folder.names()) {
      if (/^CHECKPOINT_\d+\.md$/.test(file)) removeFile(folder.entry(file));
    }
  } finally {
    folder.close();
  }
  removeEmptyFolder(join(home, ...names));
}
