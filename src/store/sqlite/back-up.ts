import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { BelayError, refuse } from "../../contract/errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { createFile, openFile } from "../../files/open-file.ts";
import { syncFolder } from "../../files/sync-folder.ts";
import { Anchor } from "./anchor.ts";
import { Connection } from "./connection.ts";
import { type DataFolder, dataFolder } from "./data-folder.ts";
import { readableStreams } from "./reanchor.ts";

/** Copies the store as it is now into a new folder, which is there when it is complete and not before. */
export async function backUp(
  files: DataFolder,
  path: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<void> {
  const target = resolve(path);
  refuseExisting(target);
  makeFolder(dirname(target));
  const partial = mkdtempSync(`${target}.partial-`);
  chmodSync(partial, 0o700);
  try {
    const copy = dataFolder(partial);
    await copyDatabase(files, copy, onProgress);
    anchorCopy(copy);
    refuseExisting(target);
    renameSync(partial, target);
    syncFolder(dirname(target));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

async function copyDatabase(
  from: DataFolder,
  to: DataFolder,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  closeSync(createFile(to.database));
  const source = new DatabaseSync(from.database, { readOnly: true, timeout: 0 });
  try {
    // A read transaction holds the moment still, or every commit meanwhile would begin the copy anew.
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

/** The copy vouches for its own heads: what the old anchor says of later commits is not in it. */
function anchorCopy(copy: DataFolder): void {
  const db = new Connection(() => new DatabaseSync(copy.database));
  try {
    new Anchor(copy.anchor).begin(readableStreams(db));
  } finally {
    db.close();
  }
}

const PAGES_AT_ONCE = 256;

function refuseExisting(target: string): void {
  if (!existsSync(target)) return;
  const message = `${target} exists; name a folder that does not, a backup never overwrites anything`;
  throw new BelayError(refuse("invalid_input", message, { path: target }));
}
