import type { Drawn } from "./draw-lane.ts";

/** More items per pixel are drawn darker, in few steps, so that equal shapes can be drawn together. */
export function crowded({ items, x0, x1 }: Drawn): number {
  if (items.length === 1) return 1;
  const perPx = items.length / Math.max(1, x1 - x0);
  if (perPx < 0.5) return 0.65;
  return perPx < 3 ? 0.8 : 1;
}
