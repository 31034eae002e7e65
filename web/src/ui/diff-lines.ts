import { compareLines } from "../../../src/contract/compare-lines.ts";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Changed lines with their context; `skipped` unchanged lines come before them. */
interface DiffHunk {
  readonly skipped: number;
  readonly lines: readonly DiffLine[];
}

interface FileChange {
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
  /** True if the texts were too long to be sent in full, so their middle is missing. */
  readonly isCut: boolean;
}

const CONTEXT = 3;

/** The server's mark for a missing part. It is only reported: nothing is hidden here because a text contains it. */
const CUT = / … [\d,]+ characters? hidden … /;

/** The changed lines with a few around them. `before` is null for a new file. */
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
