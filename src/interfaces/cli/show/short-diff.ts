import type { ComparedLine } from "../../../settings/compare-lines.ts";
import { compareLines } from "../../../settings/compare-lines.ts";

/** The lines that differ, with one line around them where there is one. */
export function shortDiff(before: string, after: string): ComparedLine[] {
  const lines = compareLines(linesOf(before), linesOf(after));
  const isChange = (at: number) => (lines[at]?.sign ?? " ") !== " ";
  return lines.filter((_, at) => isChange(at - 1) || isChange(at) || isChange(at + 1));
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
