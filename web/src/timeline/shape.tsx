import type { Phase } from "../../../src/contract/vocabulary.ts";
import type { Drawn } from "./draw-lane.ts";
import type { TrackName } from "./lay-tracks.ts";
import type { Look } from "./looks.ts";
import { Life, Mark } from "./marks.tsx";

interface ShapeProps {
  readonly drawn: Drawn;
  readonly track: TrackName;
  readonly y: number;
  readonly height: number;
  /** Under way now, so that its right end is open. */
  readonly isOpen: boolean;
}

const BAR = {
  done: "fill-good",
  failed: "fill-bad",
  unknown: "stroke-warn fill-[url(#belay-hatch)]",
  running: "stroke-info fill-info-soft",
  waiting: "stroke-accent fill-[url(#belay-dots)]",
  stopped: "stroke-faint fill-raised [stroke-dasharray:3_2]",
} as const satisfies Record<Look, string>;

/** Wide enough for words, so they are light. */
const TURN = {
  ...BAR,
  done: "fill-info-soft stroke-info",
  failed: "fill-bad-soft stroke-bad",
  running: "fill-info-soft stroke-info [stroke-dasharray:4_2]",
} as const satisfies Record<Look, string>;

/** A border alone would look like two lines. */
const THIN_TURN = { ...TURN, done: "fill-info", failed: "fill-bad" } as const;

/** A person has answered; one that has not been is dotted. */
const APPROVAL = { ...BAR, done: "fill-accent-soft stroke-accent" } as const;

const PHASES: Readonly<Record<string, string>> = {
  initializing: "fill-raised",
  investigating: "fill-info-soft",
  planning: "fill-warn-soft",
  approval: "fill-accent-soft",
  executing: "fill-good-soft",
  validating: "fill-info-soft",
  completed: "fill-good",
  failed: "fill-bad",
  abandoned: "fill-faint",
} as const satisfies Record<Phase, string>;

/** One shape of the picture. */
export function Shape(props: ShapeProps) {
  const { drawn, track, y, height } = props;
  const name = drawn.items[0]?.span.name ?? "";
  const isThin = drawn.x1 - drawn.x0 < 6;
  switch (track) {
    case "phases":
      return <Box {...props} look={PHASES[name] ?? "fill-raised"} />;
    case "turns":
      return <Box {...props} look={(isThin ? THIN_TURN : TURN)[drawn.look]} />;
    case "actions":
      return <ActionBar {...props} />;
    case "approvals":
      return <Box {...props} look={APPROVAL[drawn.look]} />;
    case "marks":
      return <Mark drawn={drawn} y={y + height / 2} />;
    case "agent":
      return <Life {...props} />;
  }
}

/** What has failed stands out of its line, also for those who do not see red. */
function ActionBar(props: ShapeProps) {
  const { drawn, y, height } = props;
  const hasFailed = drawn.look === "failed";
  const middle = (drawn.x0 + drawn.x1) / 2;
  return (
    <>
      <Box
        {...props}
        y={hasFailed ? y - 1.5 : y}
        height={hasFailed ? height + 3 : height}
        look={BAR[drawn.look]}
      />
      {hasFailed && drawn.items.length === 1 && drawn.x1 - drawn.x0 >= 12 && (
        <path
          d={`M${middle - 3},${y + height / 2 - 3}l6,6m0,-6l-6,6`}
          className="pointer-events-none stroke-panel stroke-[1.5]"
        />
      )}
    </>
  );
}

function Box({ drawn, y, height, look, isOpen }: ShapeProps & { readonly look: string }) {
  const { x0, x1, items } = drawn;
  return (
    <rect
      x={x0 + 0.5}
      y={y + 0.5}
      width={Math.max(1.5, x1 - x0 - 1)}
      height={height - 1}
      rx={isOpen || x1 - x0 < 6 ? 0.5 : 2}
      opacity={items.length === 1 ? 1 : crowded(items.length, x1 - x0)}
      className={look}
    />
  );
}

/** The more there are on a pixel, the darker. */
function crowded(count: number, width: number): number {
  return Math.min(1, 0.55 + 0.2 * Math.log10(1 + (count / width) * 3));
}
