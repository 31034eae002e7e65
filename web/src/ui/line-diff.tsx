import { useMemo, useState } from "react";
import type { FileDiff } from "../../../src/contract/session.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { Button } from "./button.tsx";
import { type DiffLine, diffLines } from "./diff-lines.ts";
import { DiffRow } from "./diff-row.tsx";

/** A longer change shows this many lines at its start and end, until the reader asks for all. */
const EDGE_LINES = 20;
const MOST_LINES = 50;

/** The change of one file, readable with and without colors. */
export function LineDiff({ diff }: { readonly diff: FileDiff }) {
  const { path, before, after } = diff;
  const change = useMemo(() => diffLines(before, after), [before, after]);
  const { hunks, added, removed, isCut } = change;
  const [isWhole, setWhole] = useState(false);
  const rows = useMemo(() => rowsOf(hunks), [hunks]);
  const isShort = rows.length > MOST_LINES && !isWhole;
  const shown = isShort ? edgesOf(rows) : rows;
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      <figcaption className="flex flex-wrap items-baseline gap-x-3 border-b border-line bg-raised px-3 py-1.5 text-sm">
        <code className="min-w-0 font-mono break-all">{visibleLine(path)}</code>
        <span className="ml-auto shrink-0 text-soft">
          {before === null ? "new file, " : ""}
          {isCut ? "at least " : ""}
          <span className="text-good">+{added}</span> <span className="text-bad">−{removed}</span>
        </span>
      </figcaption>
      {isCut && (
        <p className="border-b border-line bg-warn-soft px-3 py-1.5 text-sm text-warn">
          This change is too long to show in full. Each gap shows how many characters are hidden.
        </p>
      )}
      {hunks.length === 0 ? (
        <p className="bg-panel px-3 py-2 text-sm text-soft">
          {isCut ? "The shown lines are equal." : "All lines are equal."}
        </p>
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: what scrolls sideways must be reachable by keyboard, and needs a name
        <div
          role="group"
          aria-label={`Changes of ${path}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
          tabIndex={0}
          className="overflow-x-auto bg-panel font-mono text-[13px] leading-5 -outline-offset-2"
        >
          <div className="min-w-max py-1">
            {shown.map((row, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows stand in the order of the file
              <Row key={nth} row={row} />
            ))}
          </div>
        </div>
      )}
      {isShort && (
        <Button look="quiet" className="w-full rounded-none" onClick={() => setWhole(true)}>
          Show all {countLines(rows)} lines
        </Button>
      )}
    </figure>
  );
}

type Row =
  | DiffLine
  | { readonly kind: "alike"; readonly count: number }
  | { readonly kind: "hidden"; readonly count: number };

function Row({ row }: { readonly row: Row }) {
  if (row.kind === "alike") {
    return (
      <p className="px-3 text-faint">
        ⋯ {row.count} unchanged {row.count === 1 ? "line" : "lines"}
      </p>
    );
  }
  if (row.kind === "hidden") {
    return <p className="bg-warn-soft px-3 text-warn">… {row.count} lines hidden …</p>;
  }
  return <DiffRow line={row} />;
}

function rowsOf(hunks: ReturnType<typeof diffLines>["hunks"]): readonly Row[] {
  return hunks.flatMap<Row>(({ skipped, lines }) =>
    skipped > 0 ? [{ kind: "alike", count: skipped }, ...lines] : lines,
  );
}

function edgesOf(rows: readonly Row[]): readonly Row[] {
  const count = countLines(rows.slice(EDGE_LINES, -EDGE_LINES));
  return [...rows.slice(0, EDGE_LINES), { kind: "hidden", count }, ...rows.slice(-EDGE_LINES)];
}

function countLines(rows: readonly Row[]): number {
  return rows.filter((row) => "text" in row).length;
}
