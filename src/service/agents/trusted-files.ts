import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import type { ReadFile } from "./read-file-once.ts";
import { readFileOnce } from "./read-file-once.ts";
import { replaceUserFile } from "./replace-user-file.ts";

const Trusted = z.object({ files: z.record(z.string(), z.string()) });

/** True where the user has trusted these very bytes at this very place. */
export function isTrusted(home: string, { path, bytes }: ReadFile): boolean {
  return readTrusted(home).get(path) === digest(bytes);
}

export function trustFile(home: string, { path, bytes }: ReadFile): void {
  const files = new Map(readTrusted(home)).set(path, digest(bytes));
  replaceUserFile(
    placeOf(home),
    `${JSON.stringify({ files: Object.fromEntries(files) }, null, 2)}\n`,
  );
}

/** What cannot be read trusts nothing. */
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

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
