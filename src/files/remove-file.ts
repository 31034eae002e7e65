import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { errorCode, isMissing } from "./file-refusal.ts";

/** Removes one regular file. Links, folders and everything else stay. */
export function removeFile(path: string): boolean {
  try {
    if (!lstatSync(path).isFile()) return false;
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Removes an empty folder. */
export function removeEmptyFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (isMissing(error) || code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
}
