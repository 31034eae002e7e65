import type { Drawn } from "./draw-lane.ts";
import type { TrackName } from "./lay-tracks.ts";

const LETTER_PX = 6.4;
const FEWEST_LETTERS = 4;

interface Props {
  readonly drawn: Drawn;
  readonly track: TrackName;
  /** The middle of the line. */
  readonly y: number;
}

/** What a phase or a turn is called, where there is room for it: beside the window's edge where it began before. */
export function ShapeName({ drawn, track, y }: Props) {
  const [first, ...others] = drawn.items;
  if (!first || others.length > 0 || (track !== "phases" && track !== "turns")) return null;
  const { name } = first.span;
  const left = Math.max(0, drawn.x0) + 5;
  const letters = Math.floor((drawn.x1 - left - 4) / LETTER_PX);
  if (letters < Math.min(FEWEST_LETTERS, name.length)) return null;
  return (
    <text
      x={left}
      y={y}
      dominantBaseline="central"
      className="pointer-events-none fill-ink text-[11px]"
    >
      {name.length <= letters ? name : `${name.slice(0, letters - 1).trimEnd()}…`}
    </text>
  );
}
