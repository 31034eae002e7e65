import { join } from "node:path";
import { openFolder } from "../../files/open-folder.ts";
import { removeEmptyFolder, removeFile } from "../../files/remove-file.ts";
import { logFileOf, logFolder } from "../run/write-transcript.ts";

/** Removes the files of a session in the data folder: the log of its agent, and questions of recovery. */
export function removeLeftFiles(home: string, session_id: string): void {
  removeFile(join(logFolder(home), logFileOf(session_id)));
  const names = ["recovery", session_id];
  const folder = openFolder({ root: home, names }, { create: false });
  if (!folder) return;
  try {
    for (const name of folder.names()) {
      if (/^CHECKPOINT_\d+\.md$/.test(name)) removeFile(folder.entry(name));
    }
  } finally {
    folder.close();
  }
  removeEmptyFolder(join(home, ...names));
}
