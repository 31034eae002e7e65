import type { Drawn } from "./draw-lane.ts";

/** The more items there are on a pixel, the darker; in few steps, so that what looks alike is drawn at once. */
export function crowded({ items, x0, x1 }: Drawn): number {
  if (items.length === 1) return 1;
  const perPx = items.length / Math.max(1, x1 - x0);
  if (perPx < 0.5) return 0.65;
  return perPx < 3 ? 0.8 : 1;
}
