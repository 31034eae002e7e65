import { compareLines } from "../../../src/contract/compare-lines.ts";

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

const CONTEXT = 3;

/** How the server marks what it left out. It is only told of: nothing is left out here because a text says this. */
const CUT = / … [\d,]+ characters? hidden … /;

/** What has to be read of a change: the lines that differ, and a few around them. `before` is null for a new file. */
export function diffLines(before: string | null, after: string): FileChange {
  const lines = compareLines(before ?? "", after).map(
    ({ sign, text }): DiffLine => ({ kind: KINDS[sign], text }),
  );
  return {
    hunks: hunksOf(lines),
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    isCut: CUT.test(before ?? "") || CUT.test(after),
  };
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

const KINDS = { " ": "same", "+": "added", "-": "removed" } as const;
