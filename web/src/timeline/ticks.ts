import { type Frame, placeOf } from "./frame.ts";

export interface Tick {
  readonly time: number;
  readonly x: number;
  /** The smallest unit that the label has to tell. */
  readonly unit: TickUnit;
  /** The first one of its day. */
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
 * The times that the axis names, none too near to another. A stretch in which no round time falls begins with its own.
 * `offsetAt` is how far the clock on the wall is from UTC, so that days begin at midnight.
 */
export function findTicks(frame: Frame, offsetAt: (time: number) => number): readonly Tick[] {
  const { scale, offset, width } = frame;
  const step = STEPS.find((ms) => ms * scale.pxPerMs >= apartAt(ms)) ?? 1000 * DAY;
  const ticks: Tick[] = [];
  let lastX = -Infinity;
  let lastDay = Number.NaN;
  const add = (time: number, unit: TickUnit): void => {
    const x = placeOf(frame, time);
    if (x < 0 || x > width - LABEL_PX || x - lastX < apartAt(step)) return;
    const day = Math.floor((time + offsetAt(time)) / DAY);
    ticks.push({ time, x, unit, isNewDay: day !== lastDay });
    lastX = x;
    lastDay = day;
  };
  for (const { isBreak, from, to, x0, x1 } of scale.pieces) {
    if (isBreak || x1 < offset || x0 > offset + width) continue;
    const begin = Math.max(from, scale.timeOf(offset));
    const end = Math.min(to, scale.timeOf(offset + width));
    const shift = offsetAt(begin);
    const first = Math.ceil((begin + shift) / step) * step - shift;
    if (first > end) add(begin, unitOf(Math.min(step, MINUTE)));
    for (let time = first; time <= end; time += step) add(time, unitOf(step));
  }
  return ticks;
}

/** Labels with parts of seconds are longer. */
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
