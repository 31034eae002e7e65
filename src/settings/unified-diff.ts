import type { ComparedLine } from "../contract/compare-lines.ts";
import { compareLines } from "../contract/compare-lines.ts";

const AROUND = 3;

/** What changes between two texts, as a unified diff; empty when nothing does. */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const lines = numbered(compareLines(linesOf(before), linesOf(after)));
  const hunks = groupHunks(lines).map(printHunk);
  return `--- ${name}\n+++ ${name}\n${hunks.join("")}`;
}

interface Line extends ComparedLine {
  /** Its number in the text before and after, from 1. */
  readonly old: number;
  readonly new: number;
}

function linesOf(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function numbered(lines: readonly ComparedLine[]): Line[] {
  let [old, fresh] = [1, 1];
  return lines.map((compared) => {
    const line = { ...compared, old, new: fresh };
    if (compared.sign !== "+") old += 1;
    if (compared.sign !== "-") fresh += 1;
    return line;
  });
}

/** Changes whose surroundings touch share a hunk. */
function groupHunks(lines: readonly Line[]): Line[][] {
  const hunks: Line[][] = [];
  let end = 0;
  for (const [at, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    const from = Math.max(0, at - AROUND);
    const open = from <= end ? hunks.at(-1) : undefined;
    const more = lines.slice(open ? end : from, at + AROUND + 1);
    if (open) open.push(...more);
    else hunks.push(more);
    end = Math.min(lines.length, at + AROUND + 1);
  }
  return hunks;
}

function printHunk(hunk: readonly Line[]): string {
  const [first] = hunk;
  const olds = hunk.filter(({ sign }) => sign !== "+").length;
  const news = hunk.filter(({ sign }) => sign !== "-").length;
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  const body = hunk.map(({ sign, text }) => {
    const line = text.replace(/\r?\n$/, "");
    return `${sign}${line}\n${text.endsWith("\n") ? "" : "\\ No newline at end of file\n"}`;
  });
  return `@@ -${range(first?.old ?? 1, olds)} +${range(first?.new ?? 1, news)} @@\n${body.join("")}`;
}
