import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it, for its owner's eyes only; what is there stays as it is. Not with `recursive`,
 * which never returns on a file system where a folder can be missing inside of one that exists.
 */
export function makeFolder(path: string): void {
  if (make(path)) return;
  makeFolder(dirname(path));
  if (!make(path)) throw new Error(`${path} cannot be made`);
}

/** False where what it stands in is missing. */
function make(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    chmodSync(path, 0o700);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return true;
    if (code === "ENOENT" && path !== dirname(path)) return false;
    throw error;
  }
}
