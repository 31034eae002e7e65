import { closeSync, constants, fsyncSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { NewFolder } from "../../../files/new-folder.ts";
import { createFile, openFile } from "../../../files/open-file.ts";
import { readFile } from "../../../files/read-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { Anchor } from "../../log/anchor.ts";
import { refuseExisting } from "../../refuse-existing.ts";
import type { BackupReport } from "../../store-care.ts";
import { Connection } from "../database/connection.ts";
import { type DataFolder, dataFolder } from "../database/data-folder.ts";
import { openDatabase } from "../database/open-database.ts";
import { readableStreams } from "./reanchor.ts";

/** Copies the store into a new folder. The folder appears only when the copy is complete. */
export async function backUp(
  files: DataFolder,
  path: string,
  onProgress: (done: number, total: number) => void = () => {},
  beside: readonly string[] = [],
): Promise<BackupReport> {
  const made = new NewFolder(path, refuseExisting);
  const { partial } = made;
  try {
    const copy = dataFolder(partial);
    await copyDatabase(files, copy, onProgress);
    anchorCopy(copy);
    const included = beside.filter((name) =>
      copyFile(join(files.folder, name), join(partial, name)),
    );
    made.finish();
    const copied = new Set([...included, ...storeFiles(files)]);
    const left_out = readdirSync(files.folder).filter((name) => !copied.has(name));
    return { included, left_out };
  } catch (error) {
    made.remove();
    throw error;
  }
}

/** Returns false if the file does not exist. */
function copyFile(from: string, to: string): boolean {
  const text = readFile(from, { followLinks: true })?.toString("utf8");
  return text !== undefined && replaceFile(to, text);
}

function storeFiles({ database, wal, sharedMemory, anchor }: DataFolder): string[] {
  return [database, wal, sharedMemory, anchor].map((path) => basename(path));
}

async function copyDatabase(
  from: DataFolder,
  to: DataFolder,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  closeSync(createFile(to.database));
  const source = openDatabase(from, { readOnly: true, synchronous: "FULL" });
  try {
    // A read transaction pins the snapshot; otherwise every commit would restart the copy.
    source.exec("BEGIN; SELECT 1 FROM sqlite_schema;");
    const pages = await backup(source, to.database, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages);
      },
    });
    onProgress(pages, pages);
  } finally {
    source.close();
  }
  const file = openFile(to.database, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The copy gets its own anchor, because the old one may list commits that are not in the copy. */
function anchorCopy(copy: DataFolder): void {
  const db = new Connection(() => new DatabaseSync(copy.database));
  try {
    new Anchor(copy.anchor).begin(readableStreams(db));
  } finally {
    db.close();
  }
}

const PAGES_AT_ONCE = 256;
