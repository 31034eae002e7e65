import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { ReadFile } from "./read-file-once.ts";
import { readFileOnce } from "./read-file-once.ts";
import { replaceUserFile } from "./replace-user-file.ts";

const Trusted = z.object({ files: z.record(z.string(), z.string()) });

/** True if the user has trusted exactly these bytes at this path, with the programs as they are. */
export function isTrusted(home: string, file: ReadFile, programs: readonly string[]): boolean {
  return readTrusted(home).get(file.path) === digest(file, programs);
}

export function trustFile(home: string, file: ReadFile, programs: readonly string[]): void {
  const files = new Map(readTrusted(home)).set(file.path, digest(file, programs));
  replaceUserFile(
    placeOf(home),
    `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`,
  );
}

/** An unreadable file trusts nothing. */
function readTrusted(home: string): ReadonlyMap<string, string> {
  try {
    const text = readFileOnce(placeOf(home))?.bytes.toString("utf8") ?? "{}";
    return new Map(Object.entries(Trusted.parse(JSON.parse(text)).files));
  } catch {
    return new Map();
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
