import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { readFile } from "./read-file.ts";
import { replaceFile } from "./replace-file.ts";

const NAME = "member-folders";

/**
 * The folders that this data folder's servers gave to members, one per line. A process without the server's variables
 * knows them from here.
 */
export function readMemberMark(home: string): readonly string[] {
  const text = readFile(join(home, NAME))?.toString("utf8") ?? "";
  return text.split("\n").filter((line) => line !== "");
}

export function addToMemberMark(home: string, folder: string): void {
  const known = readMemberMark(home);
  if (known.includes(folder)) return;
  makeFolder(home);
  replaceFile(join(home, NAME), [...known, folder].map((line) => `${line}\n`).join(""));
}
