import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { BelayError, refuse } from "../../contract/errors.ts";
import { Anchor } from "./anchor.ts";
import { Connection } from "./connection.ts";
import { type DataFolder, dataFolder, makeFolder, openPrivate, syncFolder } from "./data-folder.ts";
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
  const partial = `${target}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
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
  closeSync(openPrivate(to.database, "ax"));
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
  const file = openSync(to.database, "r+");
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
