export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** A stretch of changed lines with what stands around it; `skipped` lines without a change lie before it. */
interface DiffHunk {
  readonly skipped: number;
  readonly lines: readonly DiffLine[];
}

interface FileChange {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
  /** The texts were too long to be sent whole: something is missing in their middle. */
  readonly isCut: boolean;
}

/** With more differences than this, the search for the shortest way would take longer than anyone reads. */
const MOST_EDITS = 600;
const CONTEXT = 3;

/** How the server marks what it left out. It is only told of: nothing is left out here because a text says this. */
const CUT = / … [\d,]+ characters? hidden … /;

/** What has to be read of a change: the lines that differ, and a few around them. `before` is null for a new file. */
export function diffLines(before: string | null, after: string): FileChange {
  const lines = compareLines(linesOf(before ?? ""), linesOf(after));
  return {
    hunks: hunksOf(lines),
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    isCut: CUT.test(before ?? "") || CUT.test(after),
  };
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function compareLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const old = before.slice(head, before.length - tail);
  const now = after.slice(head, after.length - tail);
  return [
    ...before.slice(0, head).map(same),
    ...(shortestWay(old, now) ?? [...old.map(removed), ...now.map(added)]),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** Myers' greedy search: the fewest lines taken away and put in. Null where that would be too many. */
function shortestWay(before: readonly string[], after: readonly string[]): DiffLine[] | null {
  const reached: Map<number, number>[] = [];
  const far = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(MOST_EDITS, before.length + after.length); edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepInto(far, diagonal, edits).x;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal])
        x += 1;
      far.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) {
        return wayBack(before, after, [...reached, new Map(far)]);
      }
    }
    reached.push(new Map(far));
  }
  return null;
}

/** From which neighbour a diagonal is entered best: by putting a line in from above, or by taking one away. */
function stepInto(far: ReadonlyMap<number, number>, diagonal: number, edits: number) {
  const above = far.get(diagonal + 1) ?? -1;
  const left = far.get(diagonal - 1) ?? -1;
  const isDown = diagonal === -edits || (diagonal !== edits && left < above);
  return isDown ? { x: above, from: diagonal + 1 } : { x: left + 1, from: diagonal - 1 };
}

function wayBack(
  before: readonly string[],
  after: readonly string[],
  reached: readonly ReadonlyMap<number, number>[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = reached.length - 1; edits > 0; edits -= 1) {
    const far = reached[edits - 1] ?? new Map<number, number>();
    const { from } = stepInto(far, x - y, edits);
    const fromX = far.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      lines.push(same(before[x] ?? ""));
    }
    if (x > fromX) lines.push(removed(before[--x] ?? ""));
    else if (y > fromY) lines.push(added(after[--y] ?? ""));
  }
  while (x > 0) lines.push(same(before[--x] ?? ""));
  return lines.toReversed();
}

function hunksOf(lines: readonly DiffLine[]): DiffHunk[] {
  const hunks: { from: number; to: number }[] = [];
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    const last = hunks.at(-1);
    if (last && at - CONTEXT <= last.to) last.to = at + CONTEXT + 1;
    else hunks.push({ from: Math.max(0, at - CONTEXT), to: at + CONTEXT + 1 });
  }
  return hunks.map(({ from, to }, nth) => ({
    skipped: from - (hunks[nth - 1]?.to ?? 0),
    lines: lines.slice(from, to),
  }));
}

const same = (text: string): DiffLine => ({ kind: "same", text });
const added = (text: string): DiffLine => ({ kind: "added", text });
const removed = (text: string): DiffLine => ({ kind: "removed", text });
