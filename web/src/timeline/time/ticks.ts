import { type Frame, placeOf } from "./frame.ts";

export interface Tick {
  readonly time: number;
  readonly x: number;
  /** The smallest unit that the label shows. */
  readonly unit: TickUnit;
  /** True for the first tick of its day. */
  readonly isNewDay: boolean;
}
export type TickUnit = "ms" | "second" | "minute" | "day";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];
const APART_PX = 84;
const LABEL_PX = 60;

/**
 * The labeled times of the axis, none too close to another. The first tick of each stretch has priority, because it
 * shows how long the break before it was. A stretch without a round time starts with its own. `offsetAt` is the local
 * offset from UTC, so that days start at midnight.
 */
export function findTicks(frame: Frame, offsetAt: (time: number) => number): readonly Tick[] {
  const { scale, width } = frame;
  const step = STEPS.find((ms) => ms * scale.pxPerMs >= apartAt(ms)) ?? 1000 * DAY;
  const chosen: { time: number; x: number; unit: TickUnit }[] = [];
  const [first, others] = timesIn(frame, step, offsetAt);
  for (const { time, unit } of [...first, ...others]) {
    const x = placeOf(frame, time);
    if (x < 0 || x > width - LABEL_PX) continue;
    if (chosen.some((other) => Math.abs(other.x - x) < apartAt(step))) continue;
    chosen.push({ time, x, unit });
  }
  chosen.sort((a, b) => a.time - b.time);
  const dayOf = (time: number) => Math.floor((time + offsetAt(time)) / DAY);
  return chosen.map((tick, nth) => {
    const before = chosen[nth - 1];
    return { ...tick, isNewDay: !before || dayOf(before.time) !== dayOf(tick.time) };
  });
}

interface Named {
  readonly time: number;
  readonly unit: TickUnit;
}

function timesIn(
  { scale, offset, width }: Frame,
  step: number,
  offsetAt: (time: number) => number,
): readonly [readonly Named[], readonly Named[]] {
  const first: Named[] = [];
  const others: Named[] = [];
  for (const { isBreak, from, to, x0, x1 } of scale.pieces) {
    if (isBreak || x1 < offset || x0 > offset + width) continue;
    const begin = Math.max(from, scale.timeOf(offset));
    const end = Math.min(to, scale.timeOf(offset + width));
    const shift = offsetAt(begin);
    const round = Math.ceil((begin + shift) / step) * step - shift;
    if (round > end) first.push({ time: begin, unit: unitOf(Math.min(step, MINUTE)) });
    for (let time = round; time <= end; time += step) {
      (time === round ? first : others).push({ time, unit: unitOf(step) });
    }
  }
  return [first, others];
}

/** Labels with fractions of seconds are longer. */
function apartAt(step: number): number {
  return step < SECOND ? APART_PX * 1.25 : APART_PX;
}

export function localOffset(time: number): number {
  return -new Date(time).getTimezoneOffset() * MINUTE;
}

function unitOf(step: number): TickUnit {
  if (step < SECOND) return "ms";
  if (step < MINUTE) return "second";
  return step < DAY ? "minute" : "day";
}
