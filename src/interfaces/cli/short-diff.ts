export interface DiffLine {
  readonly sign: "-" | "+" | " ";
  readonly text: string;
}

/** Beyond so many lines on a side, what was there and what comes stand one after the other. */
const MOST_COMPARED = 600;

/** The lines that differ, with one line around them where there is one. */
export function shortDiff(before: string, after: string): DiffLine[] {
  const lines = compare(linesOf(before), linesOf(after));
  const isChange = (at: number) => (lines[at]?.sign ?? " ") !== " ";
  return lines.filter((_, at) => isChange(at - 1) || isChange(at) || isChange(at + 1));
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map(same),
    ...compareMiddle(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** By the longest common subsequence. */
function compareMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length > MOST_COMPARED || after.length > MOST_COMPARED) {
    return [...before.map(gone), ...after.map(come)];
  }
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengthAt(i + 1, j + 1) + 1
          : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const [old = "", fresh = ""] = [before[i], after[j]];
    if (old === fresh) {
      lines.push(same(old));
      i += 1;
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) {
      lines.push(gone(old));
      i += 1;
    } else {
      lines.push(come(fresh));
      j += 1;
    }
  }
  return [...lines, ...before.slice(i).map(gone), ...after.slice(j).map(come)];
}

const same = (text: string): DiffLine => ({ sign: " ", text });
const gone = (text: string): DiffLine => ({ sign: "-", text });
const come = (text: string): DiffLine => ({ sign: "+", text });
