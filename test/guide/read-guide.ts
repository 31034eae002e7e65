import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** An example of a guide that a reader would paste into a shell. */
export interface Example {
  /** Its line, for the person who has to correct it. */
  readonly line: number;
  readonly script: string;
  /** The promised output: the lines of a `text` block that follows. "..." stands for anything within a line. */
  readonly promises: readonly string[];
}

const ROOT = new URL("../../", import.meta.url);

export function readGuide(file: string): string {
  return readFileSync(fileURLToPath(new URL(file, ROOT)), "utf8");
}

/** The text between `<!-- name -->` and `<!-- /name -->`, with its place in the file. */
export function between(text: string, name: string): string {
  const start = text.indexOf(`<!-- ${name} -->`);
  const end = text.indexOf(`<!-- /${name} -->`);
  if (start < 0 || end < start) throw new Error(`nothing is marked as ${name}`);
  // Lines before it become empty, so that line numbers stay correct.
  return text.slice(0, start).replace(/[^\n]/g, "") + text.slice(start, end);
}

const BLOCK = /^```bash\n([\s\S]*?)^```$(?:\n\n?```text\n([\s\S]*?)^```$)?/gm;

export function listExamples(text: string): Example[] {
  return [...text.matchAll(BLOCK)].map(({ index, 1: script = "", 2: promised = "" }) => ({
    line: text.slice(0, index).split("\n").length,
    script,
    promises: promised.split("\n").filter((line) => line.trim() !== ""),
  }));
}

/** The broken promises, in order. */
export function findBroken(output: string, promises: readonly string[]): string[] {
  const lines = output.split("\n");
  let from = 0;
  return promises.filter((promise) => {
    const parts = promise.split("...").map((part) => part.trim());
    const found = lines.findIndex((line, nth) => nth >= from && hasInOrder(line, parts));
    if (found >= 0) from = found + 1;
    return found < 0;
  });
}

function hasInOrder(line: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const at = line.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
