import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./file-refusal.ts";

/**
 * Makes a folder and the ones above it, mode 0700 whatever the umask. A folder that exists keeps its mode. Does not use
 * `recursive`, which never returns on a file system where a folder can be missing inside of one that exists.
 */
export function makeFolder(path: string): void {
  if (makeOne(path)) return;
  makeFolder(dirname(path));
  if (!makeOne(path)) throw new Error(`${path} cannot be made`);
}

/** False where the folder above is missing. */
export function makeOne(path: string): boolean {
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
