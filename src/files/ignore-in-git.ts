import { closeSync, writeFileSync } from "node:fs";
import { errorCode } from "./file-refusal.ts";
import { createFile } from "./open-file.ts";
import type { Folder } from "./open-folder.ts";
import { readFile } from "./read-file.ts";

/** Tells git to ignore the files that Belay writes into a folder. An existing `.gitignore` stays unchanged. */
export function ignoreInGit(folder: Folder, patterns: readonly string[]): void {
  let file: number;
  try {
    file = createFile(folder.entry(NAME));
  } catch (error) {
    if (errorCode(error) === "EEXIST") return;
    throw error;
  }
  try {
    writeFileSync(file, textOf(patterns));
  } finally {
    closeSync(file);
  }
}

/** True if the folder's `.gitignore` is the one that `ignoreInGit` writes. */
export function isIgnoreFile(folder: Folder, patterns: readonly string[]): boolean {
  return readFile(folder.entry(NAME))?.toString("utf8") === textOf(patterns);
}

const NAME = ".gitignore";

function textOf(patterns: readonly string[]): string {
  return `${["# Written by Belay", ...patterns].join("\n")}\n`;
}
