export interface ComparedLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Beyond this many cells a comparison is not worth its memory: what was there and what comes stand one after the other. */
const MOST_CELLS = 4_000_000;

/** The common beginning and end first; what is between them by the longest common subsequence. */
export function compareLines(before: readonly string[], after: readonly string[]): ComparedLine[] {
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

function compareMiddle(before: readonly string[], after: readonly string[]): ComparedLine[] {
  const width = after.length + 1;
  if (before.length * width > MOST_CELLS) return [...before.map(gone), ...after.map(come)];
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
  const lines: ComparedLine[] = [];
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

const same = (text: string): ComparedLine => ({ sign: " ", text });
const gone = (text: string): ComparedLine => ({ sign: "-", text });
const come = (text: string): ComparedLine => ({ sign: "+", text });
