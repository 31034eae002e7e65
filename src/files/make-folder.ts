import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./file-refusal.ts";
import { syncFolder } from "./sync-folder.ts";

/**
 * Creates a folder and its parents with mode 0700, whatever the umask. An existing folder keeps its mode. It does not
 * use `recursive`, which never returns on a file system where a folder can be missing inside an existing one.
 */
export function makeFolder(path: string): void {
  if (makeOne(path)) return;
  makeFolder(dirname(path));
  if (!makeOne(path)) throw new Error(`${path} cannot be made`);
}

/** As `makeFolder`, and the names of new folders survive a power cut. */
export function makeSyncedFolder(path: string): void {
  const parent = dirname(path);
  if (parent === path) return;
  if (!existsSync(parent)) makeSyncedFolder(parent);
  makeFolder(path);
  try {
    // Also for a folder that is there: another process may have created it just now.
    syncFolder(parent);
  } catch (error) {
    if (errorCode(error) !== "EACCES") throw error;
  }
}

/** False if the parent folder is missing. */
export function makeOne(path: string): boolean {
  // To look first takes less time than an error.
  if (existsSync(path)) return true;
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return true;
    if (errorCode(error) === "ENOENT" && path !== dirname(path)) return false;
    throw error;
  }
}
