import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync } from "node:fs";
import { errorCode, FileRefusal, isMissing } from "./file-refusal.ts";

/**
 * Opens a regular file. It never blocks, as opening a pipe would, and never follows a link in the last name. Throws
 * `FileRefusal` for anything that is not a regular file.
 */
export function openFile(path: string, flags: number, mode: number = PRIVATE): number {
  const { O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  let file: number;
  try {
    file = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ELOOP") throw new FileRefusal(path, "is a link: Belay does not follow it", error);
    if (code === "ENXIO" || code === "EISDIR") throw notRegular(path, error);
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw notRegular(path);
}

/** Opens a regular file, for reading by default. Null if it is missing. */
export function openIfThere(path: string, flags: number = constants.O_RDONLY): number | null {
  try {
    // Most files that a hook looks for are missing, and an error takes longer than a look.
    if (!lstatSync(path, { throwIfNoEntry: false })) return null;
    return openFile(path, flags);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Creates a file that only its owner can read, whatever the umask. Throws EEXIST if the name exists. */
export function createFile(path: string): number {
  const { O_RDWR, O_CREAT, O_EXCL, O_APPEND } = constants;
  const file = openFile(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
  fchmodSync(file, PRIVATE);
  return file;
}

/** Opens a file for appending, and creates it if it is missing. */
export function openToAppend(path: string): number {
  try {
    return createFile(path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return openFile(path, constants.O_RDWR | constants.O_APPEND);
  }
}

const PRIVATE = 0o600;

function notRegular(path: string, cause?: unknown): FileRefusal {
  return new FileRefusal(path, "is not a regular file", cause);
}
