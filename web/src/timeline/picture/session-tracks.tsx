import { memo, useMemo, useRef } from "react";
import type { Item } from "../spans/items.ts";
import type { TrackName, Tracks } from "../spans/lay-tracks.ts";
import { type Frame, placeOf } from "../time/frame.ts";
import type { Piece } from "../time/scale.ts";
import type { Tick } from "../time/ticks.ts";
import type { Drawn } from "./draw-lane.ts";
import { FocusRing } from "./focus-ring.tsx";
import { PAD_PX, PaddedSvg } from "./padded-svg.tsx";
import { type Placed, placeShapes } from "./place-shapes.ts";
import { Shape } from "./shape.tsx";
import { isThin, ThinBars } from "./thin-bars.tsx";
import { useInSight } from "./use-measured.ts";
import { usePointing } from "./use-pointing.ts";

export interface SpanActions {
  /** Null when the pointer has left. */
  point(items: readonly Item[] | null, anchor: DOMRect | null): void;
  choose(items: readonly Item[], anchor: DOMRect): void;
  enlarge(items: readonly Item[]): void;
}

interface Props {
  readonly label: string;
  readonly laid: Tracks;
  readonly frame: Frame;
  readonly ticks: readonly Tick[];
  readonly gutter: number;
  readonly now: number;
  readonly isActive: boolean;
  /** The focused item, if it is one of these. */
  readonly focused: Item | null;
  readonly actions: SpanActions;
}

const TRACK_WORDS = {
  phases: "Phases",
  turns: "Turns",
  actions: "Actions",
  approvals: "Approvals",
  marks: "Marks",
  agent: "Agent",
} as const satisfies Record<TrackName, string>;

/** The lines of one session. */
export const SessionTracks = memo(function SessionTracks(props: Props) {
  const { label, laid, frame, ticks, gutter, now, isActive, focused, actions } = props;
  const box = useRef<HTMLDivElement>(null);
  const inSight = useInSight(box);
  const height = laid.height + 8;
  const shapes = useMemo(
    () => (inSight ? placeShapes(laid, frame, now) : []),
    [inSight, laid, frame, now],
  );
  const { thin, bars, marks } = useMemo(() => sortShapes(shapes), [shapes]);
  const handlers = usePointing(shapes, actions);
  return (
    <div ref={box} className="relative overflow-x-clip" style={{ height }}>
      {laid.tracks.map(({ name, y, laneHeight }) => (
        <span
          key={name}
          className="absolute left-0 truncate text-xs text-faint max-md:text-[11px]"
          style={{ top: y, width: gutter - PAD_PX, lineHeight: `${laneHeight}px` }}
        >
          {TRACK_WORDS[name]}
        </span>
      ))}
      {inSight && (
        <div className="absolute top-0" style={{ left: gutter - PAD_PX }} {...handlers}>
          <PaddedSvg width={frame.width} height={height} label={label}>
            {ticks.map(({ time, x }) => (
              <path key={time} d={`M${x},0V${height}`} className="stroke-line" opacity="0.6" />
            ))}
            <ThinBars placed={thin} />
            <Shapes placed={bars} />
            <Breaks frame={frame} height={height} />
            <Shapes placed={marks} />
            {bars.map(({ drawn, track, y }) => (
              <ShapeName
                key={drawn.key}
                drawn={drawn}
                track={track.name}
                y={y + track.barHeight / 2}
              />
            ))}
            {isActive && <NowLine x={placeOf(frame, now)} height={height} />}
            {focused && <FocusRing laid={laid} frame={frame} item={focused} now={now} />}
          </PaddedSvg>
        </div>
      )}
    </div>
  );
});

/** A moment is not part of the break that follows it, so marks are drawn above breaks. */
function sortShapes(shapes: readonly Placed[]) {
  const isMark = ({ track }: Placed): boolean => track.name === "marks";
  return {
    thin: shapes.filter(isThin),
    bars: shapes.filter((one) => !isThin(one) && !isMark(one)),
    marks: shapes.filter(isMark),
  };
}

function Shapes({ placed }: { readonly placed: readonly Placed[] }) {
  return placed.map(({ drawn, track, y }) => (
    <Shape
      key={drawn.key}
      drawn={drawn}
      track={track.name}
      y={y}
      height={track.barHeight}
      isOpen={drawn.items.some(({ to }) => to === Infinity)}
    />
  ));
}

function NowLine({ x, height }: { readonly x: number; readonly height: number }) {
  return (
    <path
      d={`M${x},0V${height}`}
      className="pointer-events-none stroke-accent [stroke-dasharray:1_3]"
    />
  );
}

/** Narrower breaks would cover more than they show. */
const SEEN_PX = 4;
const COVERS_PX = 10;

/** Drawn above the bars: the work below continued, but nothing happened. */
function Breaks({ frame, height }: { readonly frame: Frame; readonly height: number }) {
  const { scale, offset, width } = frame;
  return scale.pieces
    .filter(({ isBreak, x0, x1 }) => isBreak && x1 > offset && x0 < offset + width)
    .filter(({ x0, x1 }) => x1 - x0 >= SEEN_PX)
    .map((piece) => <Break key={piece.from} piece={piece} offset={offset} height={height} />);
}

interface BreakProps {
  readonly piece: Piece;
  readonly offset: number;
  readonly height: number;
}

function Break({ piece, offset, height }: BreakProps) {
  const [x0, x1] = [piece.x0 - offset, piece.x1 - offset];
  const covers = x1 - x0 >= COVERS_PX;
  const edges = covers ? [x0 + 0.5, x1 - 0.5] : [(x0 + x1) / 2];
  return (
    <g className="pointer-events-none">
      {covers && (
        <rect x={x0} y="0" width={x1 - x0} height={height} className="fill-page" opacity="0.78" />
      )}
      <path
        d={edges.map((x) => `M${x},0V${height}`).join("")}
        className="stroke-line [stroke-dasharray:2_3]"
      />
    </g>
  );
}

const LETTER_PX = 6.4;
const FEWEST_LETTERS = 4;

interface ShapeNameProps {
  readonly drawn: Drawn;
  readonly track: TrackName;
  /** The middle of the line. */
  readonly y: number;
}

/** The name of a phase or turn, if there is room: at the window's edge if it started before. */
function ShapeName({ drawn, track, y }: ShapeNameProps) {
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
