import { accessSync, constants } from "node:fs";

/** True if this user may run the file. */
export function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
