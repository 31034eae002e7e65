import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { errorCode, isMissing } from "../../../files/file-refusal.ts";

/** The file that marks a folder as a store in files. */
export const MARK = "files.json";

/** True if the folder has a store in files. Throws if permissions hide the answer. */
export function hasFiles(folder: string): boolean {
  const path = join(folder, MARK);
  try {
    if (!statSync(path, { throwIfNoEntry: false })) return false;
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    const code = errorCode(error) ?? null;
    const message = `No permission to read the data folder ${folder} (${code}). Run Belay as the user who owns it, change its permissions, or set BELAY_HOME to another folder.`;
    throw new BelayError(refuse("storage_failed", message, { folder, code }), error);
  }
}
