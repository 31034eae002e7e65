import { Button } from "../../ui/button.tsx";
import { describeSeveral } from "../spans/describe-span.ts";
import type { Item } from "../spans/items.ts";

/** The items that are described next to a place on the screen. */
export interface Shown {
  readonly items: readonly Item[];
  readonly anchor: DOMRect;
  /** Touch has no hover, so the description stays, with a button. */
  readonly stays: boolean;
}

const WIDTH = 288;
const MARGIN = 8;

interface Props {
  readonly shown: Shown;
  readonly now: number;
  onOpen(item: Item): void;
  onEnlarge(items: readonly Item[]): void;
}

/** The description next to the pointed or focused item: name, state, time and duration. */
export function SpanDetails({ shown: { items, anchor, stays }, now, onOpen, onEnlarge }: Props) {
  const [first] = items;
  if (!first) return null;
  const { title, lines } = describeSeveral(items, now);
  const middle = (Math.max(0, anchor.left) + Math.min(window.innerWidth, anchor.right)) / 2;
  const left = Math.max(MARGIN, Math.min(window.innerWidth - WIDTH - MARGIN, middle - WIDTH / 2));
  const isLow = anchor.bottom > window.innerHeight * 0.65;
  const place = isLow
    ? { bottom: window.innerHeight - anchor.top + MARGIN }
    : { top: anchor.bottom + MARGIN };
  return (
    <div
      className={`fixed z-30 rounded-md border border-line bg-panel p-3 text-sm shadow-lg ${stays ? "" : "pointer-events-none"}`}
      style={{ ...place, left, width: WIDTH }}
    >
      <p className="line-clamp-3 font-medium break-words">{title}</p>
      <dl className="mt-1.5 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-xs">
        {lines.map(([word, said]) => (
          <div key={`${word} ${said}`} className="contents">
            <dt className="text-faint">{word}</dt>
            <dd className="text-soft tabular-nums">{said}</dd>
          </div>
        ))}
      </dl>
      {stays ? (
        <div className="mt-2 flex gap-2">
          <Button onClick={() => onOpen(first)}>Open</Button>
          <Button onClick={() => onEnlarge(items)}>Zoom in</Button>
        </div>
      ) : (
        <p className="mt-2 text-xs text-faint">
          {items.length > 1
            ? "Click to zoom in"
            : "Enter or click opens it. z or double-click zooms in."}
        </p>
      )}
    </div>
  );
}
