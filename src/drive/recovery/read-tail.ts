import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { basename, dirname, relative, sep } from "node:path";
import { openFile } from "../../files/open-file.ts";
import { openFolder } from "../../files/open-folder.ts";
import { isBelow } from "../../service/is-below.ts";

const TAIL_BYTES = 1000;

/** The end of a file below one of these folders, opened without following links; null if there is nothing to read. */
export function readTail(
  path: string | null | undefined,
  folders: readonly string[],
): string | null {
  const root = path ? folders.find((folder) => isBelow(folder, path)) : undefined;
  if (!path || root === undefined) return null;
  try {
    const names = relative(root, dirname(path)).split(sep).filter(Boolean);
    const folder = openFolder({ root, names }, { create: false });
    if (!folder) return null;
    try {
      return readEnd(folder.entry(basename(path)));
    } finally {
      folder.close();
    }
  } catch {
    return null;
  }
}

function readEnd(path: string): string | null {
  const file = openFile(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    if (size === 0) return null;
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, read).toString("utf8");
  } finally {
    closeSync(file);
  }
}
