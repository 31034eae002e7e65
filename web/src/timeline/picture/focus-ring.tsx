import type { Item } from "../spans/items.ts";
import type { Tracks } from "../spans/lay-tracks.ts";
import { type Frame, placeOf } from "../time/frame.ts";

/** The id of the ring around the focused item, for placing something next to it. */
export const FOCUS_ID = "timeline-focus";

interface RingProps {
  readonly laid: Tracks;
  readonly frame: Frame;
  readonly item: Item;
  readonly now: number;
}

/** A ring around the focused item, even if it is drawn together with others. */
export function FocusRing({ laid, frame, item, now }: RingProps) {
  for (const { lanes, y, laneHeight, name } of laid.tracks) {
    const nth = lanes.findIndex(({ items }) => items.includes(item));
    if (nth < 0) continue;
    const isMark = name === "marks";
    const from = Math.max(-4, placeOf(frame, item.from));
    const to = Math.min(frame.width + 4, placeOf(frame, Math.min(item.to, now)));
    const wide = isMark ? 20 : Math.max(8, to - from + 4);
    return (
      <rect
        id={FOCUS_ID}
        x={from - (isMark ? 10 : 2)}
        y={y + nth * laneHeight - 0.5}
        width={wide}
        height={laneHeight + 1}
        rx="3"
        className="pointer-events-none fill-none stroke-accent stroke-2"
      />
    );
  }
  return null;
}
