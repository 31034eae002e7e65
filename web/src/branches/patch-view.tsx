import { useState } from "react";
import { Button } from "../ui/button.tsx";
import type { DiffLine } from "../ui/diff-lines.ts";
import { DiffRow } from "../ui/diff-row.tsx";

const FIRST_LINES = 200;

interface PatchViewProps {
  readonly label: string;
  readonly patch: string;
  /** The server sent its beginning only. */
  readonly isCut: boolean;
}

/** A difference of several files as text. */
export function PatchView({ label, patch, isCut }: PatchViewProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = patch.split("\n").filter((line, nth, all) => line !== "" || nth < all.length - 1);
  const shown = isWhole ? lines : lines.slice(0, FIRST_LINES);
  return (
    <figure className="overflow-hidden rounded-md border border-line">
      {/* biome-ignore lint/a11y/useSemanticElements: what scrolls sideways must be reachable by keyboard, and needs a name */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="max-h-[25vh] overflow-auto bg-panel font-mono text-[13px] leading-5 -outline-offset-2"
      >
        <div className="min-w-max py-1">
          {shown.map((line, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines stand in the order of the text
            <DiffRow key={nth} line={toDiffLine(line)} />
          ))}
        </div>
      </div>
      {shown.length < lines.length && (
        <Button look="quiet" className="w-full rounded-none" onClick={() => setWhole(true)}>
          Show all {lines.length} lines
        </Button>
      )}
      {isCut && (
        <figcaption className="border-t border-line bg-warn-soft px-3 py-1.5 text-sm text-warn">
          The difference is too long to show in full. This is the first part.
        </figcaption>
      )}
    </figure>
  );
}

function toDiffLine(line: string): DiffLine {
  if (/^(\+\+\+|---|diff|index|new file|deleted file|old mode|new mode|@@|Binary)/.test(line)) {
    return { kind: "same", text: line };
  }
  if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "removed", text: line.slice(1) };
  return { kind: "same", text: line.replace(/^ /, "") };
}
