import { lastNotAfter } from "../time/scale.ts";
import type { Interval } from "../time/stretches.ts";
import type { Item } from "./items.ts";

/** Items that are drawn on one line, ordered by start. */
export interface Lane {
  readonly items: readonly Item[];
  /** The latest end of the items up to each index, to find the visible ones without checking all. */
  readonly reach: readonly number[];
}

/** Puts overlapping items on different lines; beyond `most`, the last line gets the rest. */
export function packLanes(items: readonly Item[], most: number): readonly Lane[] {
  const lanes: Item[][] = [];
  const ends: number[] = [];
  for (const item of [...items].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const free = ends.findIndex((end) => end <= item.from);
    const nth = free >= 0 ? free : Math.min(lanes.length, most - 1);
    const lane = lanes[nth];
    if (lane) lane.push(item);
    else lanes.push([item]);
    ends[nth] = Math.max(ends[nth] ?? -Infinity, item.to);
  }
  return lanes.map(laneOf);
}

/** The items that touch a time span. */
export function visibleIn({ items, reach }: Lane, { from, to }: Interval): readonly Item[] {
  const first = firstReaching(reach, from);
  const last = lastNotAfter(items, (item) => item.from, to);
  const some = items.slice(first, last + 1);
  return some.filter((item) => item.to >= from && item.from <= to);
}

function firstReaching(reach: readonly number[], from: number): number {
  let low = 0;
  let high = reach.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((reach[middle] ?? Infinity) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function laneOf(items: readonly Item[]): Lane {
  let far = -Infinity;
  const reach = items.map(({ to }) => {
    far = Math.max(far, to);
    return far;
  });
  return { items, reach };
}
