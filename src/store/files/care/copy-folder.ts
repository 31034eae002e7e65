import { closeSync, constants, copyFileSync, existsSync, fsyncSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { NewFolder } from "../../../files/new-folder.ts";
import { openFile } from "../../../files/open-file.ts";
import { refuseExisting } from "../../refuse-existing.ts";
import type { BackupReport } from "../../store-care.ts";
import type { FilesFolder } from "../disk/files-folder.ts";

/** Copies the store into a new folder, which appears only when the copy is complete. Only for the holder of the lock. */
export function copyFolder(
  files: FilesFolder,
  path: string,
  onProgress: (done: number, total: number) => void = () => {},
  beside: readonly string[] = [],
): BackupReport {
  const made = new NewFolder(path, refuseExisting);
  const { partial } = made;
  try {
    const { mark, anchor, commits, leases, index } = files;
    const parts = [mark, anchor, commits, leases, index].map((file) => basename(file));
    const included = beside.filter((name) => existsSync(join(files.folder, name)));
    for (const name of [...parts, ...included]) {
      if (existsSync(join(files.folder, name))) copy(join(files.folder, name), join(partial, name));
    }
    const streams = basename(files.streams);
    const names = readdirSync(files.streams, { recursive: true, withFileTypes: true });
    makeFolder(join(partial, streams));
    for (const [nth, entry] of names.entries()) {
      const below = entry.parentPath.slice(files.folder.length);
      const to = join(partial, below, entry.name);
      if (entry.isDirectory()) makeFolder(to);
      else if (entry.isFile()) {
        makeFolder(dirname(to));
        copy(join(entry.parentPath, entry.name), to);
      }
      onProgress(nth + 1, names.length);
    }
    made.finish();
    const known = new Set([...parts, ...included, streams, basename(files.lock)]);
    return { included, left_out: readdirSync(files.folder).filter((name) => !known.has(name)) };
  } catch (error) {
    made.remove();
    throw error;
  }
}

function copy(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const file = openFile(to, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
