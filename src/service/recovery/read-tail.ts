import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

const TAIL_BYTES = 1000;

/** The end of what a process has written to a file; null where there is nothing to read. */
export function readTail(path: string | null | undefined): string | null {
  if (!path) return null;
  try {
    // Without waiting for it, should it be a pipe that nobody writes to.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size === 0) return null;
      const bytes = Buffer.alloc(Math.min(stat.size, TAIL_BYTES));
      const read = readSync(file, bytes, 0, bytes.length, stat.size - bytes.length);
      return bytes.subarray(0, read).toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
