import { closeSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "./file-refusal.ts";
import { createFile } from "./open-file.ts";
import { readFile } from "./read-file.ts";
import { removeFile } from "./remove-file.ts";
import { replaceFile } from "./replace-file.ts";

const NAME = "mirrors.json";
const MIRRORS = `${JSON.stringify({ mirrors: true })}\n`;

/**
 * True if it is known that no workspace has mirrors. Hooks read it without opening the store. It is known of one database
 * file: another in its place may have mirrors.
 */
export function isWithoutMirrors(home: string, database: string): boolean {
  return readMark(home) === withoutMirrors(database);
}

/** Does nothing if a workspace got mirrors at the same moment. */
export function markWithoutMirrors(home: string, database: string): void {
  const known = readMark(home);
  if (known === MIRRORS) return;
  if (known !== undefined) removeFile(join(home, NAME));
  try {
    const file = createFile(join(home, NAME));
    try {
      writeFileSync(file, withoutMirrors(database));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

/** Called before a workspace gets mirrors. From then on, hooks write them at once. */
export function markMirrors(home: string): void {
  replaceFile(join(home, NAME), MIRRORS);
}

function readMark(home: string): string | undefined {
  return readFile(join(home, NAME))?.toString("utf8");
}

function withoutMirrors(database: string): string {
  return `${JSON.stringify({ mirrors: false, database })}\n`;
}
