import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { isMissing } from "./file-refusal.ts";

/** True if a path, after following all links, is below a folder. Its last name may be missing. */
export function isInside(folder: string, path: string): boolean {
  try {
    const root = realpathSync(folder);
    return realPath(path).startsWith(root.endsWith(sep) ? root : root + sep);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // A dangling link may point somewhere later.
    if (!isMissing(error) || lstatSync(path, { throwIfNoEntry: false })) throw error;
    return join(realpathSync(dirname(path)), basename(path));
  }
}
