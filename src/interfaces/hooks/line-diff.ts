const AROUND = 3;
/** Beyond this a diff is not worth its memory. */
const MOST_CELLS = 4_000_000;

/** What changes between two texts, as a unified diff; empty when nothing does. */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return "";
  const lines = compare(linesOf(before), linesOf(after));
  const hunks = groupHunks(lines).map(printHunk);
  return `--- ${name}\n+++ ${name}\n${hunks.join("")}`;
}

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
  /** Its number in the text before and after, from 1. */
  readonly old: number;
  readonly new: number;
}

function linesOf(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** The common beginning and end first; what is between them by the longest common subsequence. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before.at(-1 - tail) === after.at(-1 - tail)
  ) {
    tail += 1;
  }
  const signs: (readonly [Line["sign"], string])[] = [
    ...before.slice(0, head).map((text) => [" ", text] as const),
    ...compareMiddle(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...before.slice(before.length - tail).map((text) => [" ", text] as const),
  ];
  let [old, fresh] = [1, 1];
  return signs.map(([sign, text]) => {
    const line = { sign, text, old, new: fresh };
    if (sign !== "+") old += 1;
    if (sign !== "-") fresh += 1;
    return line;
  });
}

function compareMiddle(
  before: readonly string[],
  after: readonly string[],
): (readonly [Line["sign"], string])[] {
  const width = after.length + 1;
  if (before.length * width > MOST_CELLS) {
    return [
      ...before.map((text) => ["-", text] as const),
      ...after.map((text) => ["+", text] as const),
    ];
  }
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const lines: (readonly [Line["sign"], string])[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old = "", fresh = ""] = [before[i], after[j]];
    if (i < before.length && j < after.length && old === fresh) {
      lines.push([" ", old]);
      i += 1;
      j += 1;
    } else if (
      j >= after.length ||
      (i < before.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1))
    ) {
      lines.push(["-", old]);
      i += 1;
    } else {
      lines.push(["+", fresh]);
      j += 1;
    }
  }
  return lines;
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
