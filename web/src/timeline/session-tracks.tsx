import { memo, useMemo, useRef } from "react";
import { Breaks } from "./breaks.tsx";
import { FocusRing } from "./focus-ring.tsx";
import { type Frame, placeOf } from "./frame.ts";
import type { Item } from "./items.ts";
import type { TrackName, Tracks } from "./lay-tracks.ts";
import { PAD_PX, PaddedSvg } from "./padded-svg.tsx";
import { type Placed, placeShapes } from "./place-shapes.ts";
import { Shape } from "./shape.tsx";
import { ShapeName } from "./shape-name.tsx";
import { isThin, ThinBars } from "./thin-bars.tsx";
import type { Tick } from "./ticks.ts";
import { useInSight } from "./use-measured.ts";
import { usePointing } from "./use-pointing.ts";

export interface SpanActions {
  /** Null when nothing is pointed at any more. */
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
  /** The item that the keys have reached, where it is one of these. */
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

/** One session's lines. */
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
    <div ref={box} className="relative" style={{ height }}>
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

/** A moment is no part of a pause that begins with it, so marks lie over breaks. */
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
