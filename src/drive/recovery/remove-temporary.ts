import { basename, dirname, relative, resolve, sep } from "node:path";
import { openFolder } from "../../files/open-folder.ts";
import { removeFile } from "../../files/remove-file.ts";
import { isBelow } from "../../service/is-below.ts";

/**
 * Removes regular files below a folder without following links, and returns them. Files that git tracks stay, because
 * the repository's author may have named them.
 */
export function removeTemporary(root: string, paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const whole = resolve(root, path);
    return isBelow(root, whole) && !isOfGit(relative(root, whole)) && removeBelow(root, whole);
  });
}

function isOfGit(way: string): boolean {
  return way.split(sep).some((name) => name.toLowerCase() === ".git");
}

function removeBelow(root: string, path: string): boolean {
  try {
    const names = relative(root, dirname(path)).split(sep).filter(Boolean);
    const folder = openFolder({ root, names }, { create: false });
    if (!folder) return false;
    try {
      return removeFile(folder.entry(basename(path)));
    } finally {
      folder.close();
    }
  } catch {
    // A file that cannot be removed must not stop the recovery; the report does not name it.
    return false;
  }
}
