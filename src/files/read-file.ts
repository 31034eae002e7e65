import { closeSync, fstatSync, readFileSync, realpathSync } from "node:fs";
import { FileRefusal, isMissing } from "./file-refusal.ts";
import { openIfThere } from "./open-file.ts";

interface ReadOptions {
  /** In bytes. */
  readonly most?: number;
  /** Set for a file that the user named. */
  readonly followLinks?: boolean;
}

/** The bytes of a regular file, without blocking. Null if it is missing. */
export function readFile(path: string, options: ReadOptions = {}): Buffer | null {
  const { most = Number.POSITIVE_INFINITY, followLinks = false } = options;
  const file = openIfThere(followLinks ? followed(path) : path);
  if (file === null) return null;
  try {
    if (fstatSync(file).size > most) {
      throw new FileRefusal(path, `is larger than ${most} bytes`);
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function followed(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return path;
    throw error;
  }
}
