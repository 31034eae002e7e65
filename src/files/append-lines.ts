import { fstatSync, readSync, writeSync } from "node:fs";
import { FileRefusal } from "./file-refusal.ts";

/**
 * Appends with one write per line. If another writer left the last line unfinished, it is ended first. A file with a
 * second name is refused, because the author of the folder may have linked another person's file there.
 */
export function appendLines(file: number, path: string, lines: readonly string[]): void {
  if (fstatSync(file).nlink > 1) {
    throw new FileRefusal(path, "has another name (a hard link): Belay does not append to it");
  }
  for (const [nth, line] of lines.entries()) {
    const whole = Buffer.from(`${nth === 0 && isTorn(file) ? "\n" : ""}${line}\n`);
    // The next append ends a partial line, and the line itself is written again.
    if (writeSync(file, whole) < whole.length) throw new Error("no space is left for a whole line");
  }
}

function isTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
}
