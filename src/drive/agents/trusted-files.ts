import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { ReadFile } from "./read-file-once.ts";
import { readFileOnce } from "./read-file-once.ts";
import { replaceUserFile } from "./replace-user-file.ts";

const Trusted = z.object({
  files: z.record(z.string(), z.string()).default({}),
  folders: z.array(z.string()).default([]),
});
type Trusted = z.infer<typeof Trusted>;

/** True if the user has trusted exactly these bytes at this path, with the programs as they are. */
export function isTrusted(home: string, file: ReadFile, programs: readonly string[]): boolean {
  return readTrusted(home).files[file.path] === digest(file, programs);
}

export function trustFile(home: string, file: ReadFile, programs: readonly string[]): void {
  const { files, ...rest } = readTrusted(home);
  writeTrusted(home, { ...rest, files: { ...files, [file.path]: digest(file, programs) } });
}

/** True if the user lets checkpoints record and restore the files of this work tree. */
export function isTrustedFolder(home: string, root: string): boolean {
  return readTrusted(home).folders.includes(root);
}

export function trustFolder(home: string, root: string): void {
  const { folders, ...rest } = readTrusted(home);
  writeTrusted(home, { ...rest, folders: [...new Set([...folders, root])] });
}

function writeTrusted(home: string, trusted: Trusted): void {
  replaceUserFile(placeOf(home), `${JSON.stringify(trusted, null, 2)}\n`);
}

/** An unreadable file trusts nothing. */
function readTrusted(home: string): Trusted {
  try {
    const text = readFileOnce(placeOf(home))?.bytes.toString("utf8") ?? "{}";
    return Trusted.parse(JSON.parse(text));
  } catch {
    return { files: {}, folders: [] };
  }
}

function placeOf(home: string): string {
  return join(home, "trusted.json");
}

function digest({ bytes }: ReadFile, programs: readonly string[]): string {
  const whole = createHash("sha256").update(bytes);
  for (const program of programs) whole.update(`\n${program}`);
  return whole.digest("hex");
}
