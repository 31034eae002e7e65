import { shortenText, visibleText } from "../../../src/contract/visible-text.ts";
import type { DiffLine } from "./diff-lines.ts";

const LINE_CHARS = 2000;
const MARKS = { same: " ", added: "+", removed: "-" } as const;
const LOOKS = {
  same: "text-soft",
  added: "bg-good-soft text-good",
  removed: "bg-bad-soft text-bad",
} as const satisfies Record<DiffLine["kind"], string>;

/** One line of a difference, readable with and without colors. */
export function DiffRow({ line: { kind, text } }: { readonly line: DiffLine }) {
  const Tag = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
  return (
    <Tag className={`block px-3 whitespace-pre no-underline ${LOOKS[kind]}`}>
      {MARKS[kind]} {shortenText(visibleText(text), LINE_CHARS)}
    </Tag>
  );
}
