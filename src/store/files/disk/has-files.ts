import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { errorCode, isMissing } from "../../../files/file-refusal.ts";
import { damaged, isDamage } from "./files-error.ts";

/** The file that marks a folder as a store in files. */
export const MARK = "files.json";
export const COMMITS = "commits.ndjson";

/** True if the folder has a store in files. Throws if permissions hide the answer. */
export function hasFiles(folder: string): boolean {
  const path = join(folder, MARK);
  try {
    if (!isThere(path)) {
      // Looked for again, because another process may have created the store meanwhile.
      if (!isThere(join(folder, COMMITS)) || isThere(path)) return isThere(path);
      throw damaged(null, `${path} is missing, and ${COMMITS} is there`);
    }
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    if (isDamage(error)) throw error;
    const code = errorCode(error) ?? null;
    const message = `No permission to read the data folder ${folder} (${code}). Run Belay as the user who owns it, change its permissions, or set BELAY_HOME to another folder.`;
    throw new BelayError(refuse("storage_failed", message, { folder, code }), error);
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
