import { closeSync, constants, fsyncSync, openSync } from "node:fs";

/** Makes a new, renamed or removed entry of a folder survive a power cut. */
export function syncFolder(path: string): void {
  const handle = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
