import { closeSync, constants, fstatSync, readFileSync, realpathSync } from "node:fs";
import { FileRefusal, isMissing } from "./file-refusal.ts";
import { openFile } from "./open-file.ts";

export interface ReadOptions {
  /** In bytes. */
  readonly most?: number;
  /** For a file that the user named. */
  readonly followLinks?: boolean;
}

/** The bytes of a regular file, without waiting for anyone. Null: it is missing. */
export function readFile(path: string, options: ReadOptions = {}): Buffer | null {
  const { most = Number.POSITIVE_INFINITY, followLinks = false } = options;
  let file: number;
  try {
    file = openFile(followLinks ? realpathSync(path) : path, constants.O_RDONLY);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    if (fstatSync(file).size > most) {
      throw new FileRefusal(path, `is larger than ${most} bytes`);
    }
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
