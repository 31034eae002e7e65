import type { Track, Tracks } from "../spans/lay-tracks.ts";
import type { Frame } from "../time/frame.ts";
import { type Drawn, drawLane } from "./draw-lane.ts";

/** A shape with its vertical position. */
export interface Placed {
  readonly drawn: Drawn;
  readonly track: Track;
  readonly y: number;
}

export function placeShapes({ tracks }: Tracks, frame: Frame, now: number): readonly Placed[] {
  return tracks.flatMap((track) =>
    track.lanes.flatMap((lane, nth) => {
      const y = track.y + nth * track.laneHeight + (track.laneHeight - track.barHeight) / 2;
      return drawLane(lane, frame, now, track.least).map((drawn) => ({ drawn, track, y }));
    }),
  );
}

/** The distance from a shape at which pointing still hits it. */
const NEAR_PX = 4;

/** The shape at a point, or the nearest one on that line. */
export function shapeAt(placed: readonly Placed[], x: number, y: number): Placed | null {
  let best: Placed | null = null;
  let least = NEAR_PX;
  for (const one of placed) {
    const top = one.y - (one.track.laneHeight - one.track.barHeight) / 2;
    if (y < top || y >= top + one.track.laneHeight) continue;
    const { left, right } = edgesOf(one);
    const away = Math.max(left - x, x - right, 0);
    if (away > least || (away === least && best !== null)) continue;
    best = one;
    least = away;
  }
  return best;
}

/** A mark is centered on its moment, a bar starts at it. */
export function edgesOf({ drawn: { x0, x1 }, track }: Placed) {
  return track.name === "marks" ? { left: x0 - 7, right: x0 + 7 } : { left: x0, right: x1 };
}
