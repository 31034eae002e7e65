import type { Phase } from "../../../../src/contract/vocabulary.ts";
import type { TrackName } from "../spans/lay-tracks.ts";
import type { Look } from "../spans/looks.ts";
import { crowded } from "./crowded.ts";
import type { Drawn } from "./draw-lane.ts";
import { Life, Mark } from "./marks.tsx";

interface ShapeProps {
  readonly drawn: Drawn;
  readonly track: TrackName;
  readonly y: number;
  readonly height: number;
  /** True if it is under way, so its right end is open. */
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

/** Wide enough for text, so the colors are light. */
const TURN = {
  ...BAR,
  done: "fill-info-soft stroke-info",
  failed: "fill-bad-soft stroke-bad",
  running: "fill-info-soft stroke-info [stroke-dasharray:4_2]",
} as const satisfies Record<Look, string>;

/** A border alone would look like two lines. */
const THIN_TURN = { ...TURN, done: "fill-info", failed: "fill-bad" } as const;

/** An answered approval; an open one is dotted. */
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

/** The style of a bar by kind and outcome. */
export function lookOfBar(track: TrackName, { items, look, x0, x1 }: Drawn): string {
  switch (track) {
    case "phases":
      return PHASES[items[0]?.span.name ?? ""] ?? "fill-raised";
    case "turns":
      return (x1 - x0 < 6 ? THIN_TURN : TURN)[look];
    case "approvals":
      return APPROVAL[look];
    default:
      return BAR[look];
  }
}

/** A failed action is taller than its line, so that it is visible without color. */
export function outOfLine(track: TrackName, { look }: Drawn): number {
  return track === "actions" && look === "failed" ? 1.5 : 0;
}

/** One shape of the picture. */
export function Shape(props: ShapeProps) {
  const { drawn, track, y, height } = props;
  if (track === "marks") return <Mark drawn={drawn} y={y + height / 2} />;
  if (track === "agent") return <Life {...props} />;
  return (
    <>
      <Box {...props} />
      {track === "actions" && drawn.look === "failed" && (
        <Cross drawn={drawn} middle={y + height / 2} />
      )}
    </>
  );
}

function Box({ drawn, track, y, height, isOpen }: ShapeProps) {
  const { x0, x1 } = drawn;
  const out = outOfLine(track, drawn);
  return (
    <rect
      x={x0 + 0.5}
      y={y + 0.5 - out}
      width={Math.max(1.5, x1 - x0 - 1)}
      height={height - 1 + 2 * out}
      rx={isOpen || x1 - x0 < 6 ? 0.5 : 2}
      opacity={crowded(drawn)}
      className={lookOfBar(track, drawn)}
    />
  );
}

function Cross({ drawn, middle }: { readonly drawn: Drawn; readonly middle: number }) {
  const { x0, x1, items } = drawn;
  if (items.length > 1 || x1 - x0 < 12) return null;
  return (
    <path
      d={`M${(x0 + x1) / 2 - 3},${middle - 3}l6,6m0,-6l-6,6`}
      className="stroke-panel stroke-[1.5]"
    />
  );
}
