import { memo, useRef } from "react";
import { Breaks } from "./breaks.tsx";
import { type Drawn, drawLane } from "./draw-lane.ts";
import { FocusRing } from "./focus-ring.tsx";
import { type Frame, placeOf } from "./frame.ts";
import type { Item } from "./items.ts";
import type { Track, TrackName, Tracks } from "./lay-tracks.ts";
import { PAD_PX, PaddedSvg } from "./padded-svg.tsx";
import { Shape } from "./shape.tsx";
import { ShapeName } from "./shape-name.tsx";
import type { Tick } from "./ticks.ts";
import { useInSight } from "./use-measured.ts";

export interface SpanActions {
  /** Null when nothing is pointed at any more. */
  point(items: readonly Item[] | null, shape: Element | null): void;
  choose(items: readonly Item[], shape: Element): void;
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
  const shapes = inSight ? drawTracks(laid, frame, now) : [];
  // A moment is no part of a pause that begins with it.
  const [marks = [], bars = []] = [true, false].map((is) =>
    shapes.filter(({ track }) => (track.name === "marks") === is),
  );
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
        <div className="absolute top-0" style={{ left: gutter - PAD_PX }}>
          <PaddedSvg width={frame.width} height={height} label={label}>
            {ticks.map(({ time, x }) => (
              <path key={time} d={`M${x},0V${height}`} className="stroke-line" opacity="0.6" />
            ))}
            <Shapes placed={bars} actions={actions} />
            <Breaks frame={frame} height={height} />
            <Shapes placed={marks} actions={actions} />
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

interface Placed {
  readonly drawn: Drawn;
  readonly track: Track;
  readonly y: number;
}

function drawTracks({ tracks }: Tracks, frame: Frame, now: number): readonly Placed[] {
  return tracks.flatMap((track) =>
    track.lanes.flatMap((lane, nth) => {
      const y = track.y + nth * track.laneHeight + (track.laneHeight - track.barHeight) / 2;
      return drawLane(lane, frame, now, track.least).map((drawn) => ({ drawn, track, y }));
    }),
  );
}

function Shapes({
  placed,
  actions,
}: {
  readonly placed: readonly Placed[];
  readonly actions: SpanActions;
}) {
  return placed.map(({ drawn, track, y }) => (
    <ShapeGroup key={drawn.key} drawn={drawn} actions={actions}>
      <Shape
        drawn={drawn}
        track={track.name}
        y={y}
        height={track.barHeight}
        isOpen={drawn.items.some(({ to }) => to === Infinity)}
      />
    </ShapeGroup>
  ));
}

interface GroupProps {
  readonly drawn: Drawn;
  readonly actions: SpanActions;
  readonly children: React.ReactNode;
}

/** Keys reach all of this through the picture as a whole, which holds the focus. */
function ShapeGroup({ drawn: { items }, actions, children }: GroupProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same is done by keys on the picture
    <g
      className="cursor-pointer hover:brightness-90"
      onPointerEnter={(event) => actions.point(items, event.currentTarget)}
      onPointerLeave={() => actions.point(null, null)}
      onClick={(event) => actions.choose(items, event.currentTarget)}
      onDoubleClick={() => actions.enlarge(items)}
    >
      {children}
    </g>
  );
}

function NowLine({ x, height }: { readonly x: number; readonly height: number }) {
  return (
    <path
      d={`M${x},0V${height}`}
      className="pointer-events-none stroke-accent [stroke-dasharray:1_3]"
    />
  );
}
