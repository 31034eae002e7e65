import type { SpanKind } from "../../../../src/contract/vocabulary.ts";
import type { Item } from "./items.ts";
import { type Lane, packLanes } from "./lanes.ts";

export type TrackName = "phases" | "turns" | "actions" | "approvals" | "marks" | "agent";

/** Lanes of one kind, under one label. */
export interface Track {
  readonly name: TrackName;
  readonly y: number;
  readonly laneHeight: number;
  readonly barHeight: number;
  /** Narrower shapes are merged with their neighbors. */
  readonly least: number;
  readonly lanes: readonly Lane[];
  /** All items ordered by start, for the keyboard. */
  readonly items: readonly Item[];
}

export interface Tracks {
  readonly tracks: readonly Track[];
  readonly height: number;
}

const TRACKS = [
  { name: "phases", kinds: ["phase"], most: 1, laneHeight: 22, barHeight: 20, least: 3 },
  { name: "turns", kinds: ["turn"], most: 2, laneHeight: 22, barHeight: 20, least: 3 },
  { name: "actions", kinds: ["action"], most: 8, laneHeight: 15, barHeight: 12, least: 3 },
  { name: "approvals", kinds: ["approval"], most: 3, laneHeight: 15, barHeight: 12, least: 4 },
  {
    name: "marks",
    kinds: ["checkpoint", "recovery"],
    most: 1,
    laneHeight: 20,
    barHeight: 14,
    least: 12,
  },
  { name: "agent", kinds: ["life"], most: 1, laneHeight: 18, barHeight: 10, least: 6 },
] as const satisfies readonly {
  name: TrackName;
  kinds: readonly SpanKind[];
  most: number;
  laneHeight: number;
  barHeight: number;
  least: number;
}[];

const BETWEEN = 6;

/** The lines of a session from top to bottom, without empty ones. */
export function layTracks(items: readonly Item[]): Tracks {
  const tracks: Track[] = [];
  let y = 0;
  for (const { kinds, most, ...track } of TRACKS) {
    const wanted: readonly SpanKind[] = kinds;
    const some = items
      .filter(({ span }) => wanted.includes(span.kind))
      .sort((a, b) => a.from - b.from || a.span.seq - b.span.seq);
    if (some.length === 0) continue;
    const lanes = packLanes(some, most);
    tracks.push({ ...track, y, lanes, items: some });
    y += lanes.length * track.laneHeight + BETWEEN;
  }
  return { tracks, height: Math.max(0, y - BETWEEN) };
}
