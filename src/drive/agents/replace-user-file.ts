import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { replaceFile } from "../../files/replace-file.ts";

/** Replaces a file of the data folder that people also edit. If it is a link, the link stays and its target changes. */
export function replaceUserFile(path: string, text: string): void {
  makeFolder(dirname(path));
  replaceFile(followLink(path), text);
}

function followLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
