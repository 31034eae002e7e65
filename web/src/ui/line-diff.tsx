import { useMemo, useState } from "react";
import type { FileDiff } from "../../../src/contract/session.ts";
import { shortenText, visibleLine, visibleText } from "../../../src/contract/visible-text.ts";
import { Button } from "./button.tsx";
import { type DiffLine, diffLines } from "./diff-lines.ts";

/** Lines that are shown before anyone asks for more, and characters of each. */
const FIRST_LINES = 200;
const LINE_CHARS = 2000;

const MARKS = { same: " ", added: "+", removed: "-" } as const;
const LOOKS = {
  same: "text-soft",
  added: "bg-good-soft text-good",
  removed: "bg-bad-soft text-bad",
} as const satisfies Record<DiffLine["kind"], string>;

/** What a change does to one file, readable with and without colours. */
export function LineDiff({ diff }: { readonly diff: FileDiff }) {
  const { path, before, after } = diff;
  const change = useMemo(() => diffLines(before, after), [before, after]);
  const { hunks, added, removed, isCut } = change;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? hunks : firstOf(hunks, FIRST_LINES);
  const count = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
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
          This file is too long. Only its beginning is compared here. The session has all of it.
        </p>
      )}
      {hunks.length === 0 ? (
        <p className="bg-panel px-3 py-2 text-sm text-soft">
          {isCut ? "No line differs in the beginning." : "No line differs."}
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
            {shown.map(({ skipped, lines }, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: hunks stand in the order of the file
              <div key={nth}>
                {skipped > 0 && (
                  <p className="px-3 text-faint">
                    ⋯ {skipped} {skipped === 1 ? "line" : "lines"} as before
                  </p>
                )}
                {lines.map((line, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines stand in the order of the file
                  <Line key={at} line={line} />
                ))}
              </div>
            ))}
          </div>
        </div>
      )}
      {count > FIRST_LINES && !isWhole && (
        <Button look="quiet" className="w-full rounded-none" onClick={() => setWhole(true)}>
          Show all {count} lines
        </Button>
      )}
    </figure>
  );
}

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  const Tag = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
  return (
    <Tag className={`block px-3 whitespace-pre no-underline ${LOOKS[kind]}`}>
      {MARKS[kind]} {shortenText(visibleText(text), LINE_CHARS)}
    </Tag>
  );
}

type Hunks = ReturnType<typeof diffLines>["hunks"];

function firstOf(hunks: Hunks, most: number): Hunks {
  let left = most;
  return hunks.flatMap((hunk) => {
    if (left <= 0) return [];
    const lines = hunk.lines.slice(0, left);
    left -= lines.length;
    return [{ ...hunk, lines }];
  });
}
