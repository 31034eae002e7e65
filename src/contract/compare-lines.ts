import { diffArrays } from "diff";

export interface ComparedLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * The time of a comparison grows with the square of this limit. Beyond it, all old lines come
 * before all new ones.
 */
const MAX_EDITS = 1_000;

/** The smallest change that turns one text into the other. */
export function compareLines(textBefore: string, textAfter: string): ComparedLine[] {
  const [before, after] = [linesOf(textBefore), linesOf(textAfter)];
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const old = before.slice(head, before.length - tail);
  const fresh = after.slice(head, after.length - tail);
  const parts = diffArrays(old, fresh, { maxEditLength: MAX_EDITS });
  return [
    ...signed(" ", before.slice(0, head)),
    ...(parts?.flatMap(({ added, removed, value }) =>
      signed(added ? "+" : removed ? "-" : " ", value),
    ) ?? [...signed("-", old), ...signed("+", fresh)]),
    ...signed(" ", before.slice(before.length - tail)),
  ];
}

/** A text that ends with a line break has no empty line after it. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function signed(sign: ComparedLine["sign"], lines: readonly string[]): ComparedLine[] {
  return lines.map((text) => ({ sign, text }));
}
