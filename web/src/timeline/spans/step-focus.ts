import { lastNotAfter } from "../time/scale.ts";
import type { Item } from "./items.ts";

export const STEP_KEYS = [
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
  "Home",
  "End",
] as const;
type StepKey = (typeof STEP_KEYS)[number];

/** The next item for a key: along its line, or at the same time on the line above or below. */
export function stepFocus(
  lines: readonly (readonly Item[])[],
  current: string | null,
  key: StepKey,
): Item | null {
  const row = lines.findIndex((line) => line.some((item) => item.key === current));
  const line = lines[row];
  if (!line) return lines[0]?.[0] ?? null;
  const nth = line.findIndex((item) => item.key === current);
  switch (key) {
    case "ArrowLeft":
      return line[Math.max(0, nth - 1)] ?? null;
    case "ArrowRight":
      return line[Math.min(line.length - 1, nth + 1)] ?? null;
    case "Home":
      return line[0] ?? null;
    case "End":
      return line.at(-1) ?? null;
    case "ArrowUp":
      return nearest(lines[row - 1] ?? line, line[nth]);
    case "ArrowDown":
      return nearest(lines[row + 1] ?? line, line[nth]);
  }
}

function nearest(line: readonly Item[], to: Item | undefined): Item | null {
  if (!to || line.includes(to)) return to ?? null;
  const before = lastNotAfter(line, ({ from }) => from, to.from);
  const [left, right] = [line[before], line[before + 1]];
  if (!left || !right) return left ?? null;
  return to.from - left.from <= right.from - to.from ? left : right;
}
