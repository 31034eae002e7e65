import { join } from "node:path";
import { z } from "zod";
import { readFile } from "../../files/read-file.ts";
import { removeFile } from "../../files/remove-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { syncFolder } from "../../files/sync-folder.ts";

const Entry = z.object({ mode: z.string(), oid: z.string() }).nullable();

/** The plan of a restore. Written before the first file is touched, removed when it is finished or undone. */
const RestoreJournal = z.object({
  root: z.string(),
  is_sha256: z.boolean(),
  /** The folder with the new files and the old ones. */
  aside: z.string(),
  /** The checkpoint that the log has if the restore was finished, and its owner. */
  owner: z.string(),
  undo: z.string(),
  changes: z.array(z.object({ path: z.string(), from: Entry, to: Entry })),
  /** The folders of changed files that existed before. */
  folders: z.array(z.string()),
});
export type RestoreJournal = z.infer<typeof RestoreJournal>;

const NAME = "restore.json";

export function writeJournal(place: string, journal: RestoreJournal): void {
  replaceFile(join(place, NAME), JSON.stringify(journal));
}

export function readJournal(place: string): RestoreJournal | null {
  const text = readFile(join(place, NAME))?.toString("utf8");
  return text === undefined ? null : RestoreJournal.parse(JSON.parse(text));
}

export function removeJournal(place: string): void {
  removeFile(join(place, NAME));
  syncFolder(place);
}
