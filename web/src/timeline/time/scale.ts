import type { Stretch } from "./stretches.ts";

/** Converts times to positions on an axis of `length` pixels, and back. */
export interface Scale {
  readonly pxPerMs: number;
  readonly length: number;
  readonly pieces: readonly Piece[];
  xOf(time: number): number;
  timeOf(x: number): number;
}

/** A stretch with its position in pixels. */
export interface Piece extends Stretch {
  readonly x0: number;
  readonly x1: number;
}

const BREAK_PX = 30;
/** The most that breaks may take of a whole picture. */
const BREAK_SHARE = 0.35;
/** A second is never wider than this. */
export const FINEST_PX_PER_MS = 2;

/** The scale at which everything fits into `width`. */
export function fittingPxPerMs(stretches: readonly Stretch[], width: number): number {
  return (width - fittingBreakPx(stretches, width) * breaksIn(stretches)) / workMs(stretches);
}

/** Work is drawn to scale; breaks grow with it up to a fixed size. */
export function makeScale(stretches: readonly Stretch[], width: number, pxPerMs: number): Scale {
  const zoom = pxPerMs / fittingPxPerMs(stretches, width);
  const breakPx = Math.min(BREAK_PX, fittingBreakPx(stretches, width) * zoom);
  const pieces: Piece[] = [];
  let x = 0;
  for (const stretch of stretches) {
    const wide = stretch.isBreak ? breakPx : (stretch.to - stretch.from) * pxPerMs;
    pieces.push({ ...stretch, x0: x, x1: x + wide });
    x += wide;
  }
  return {
    pxPerMs,
    length: x,
    pieces,
    xOf(time) {
      const piece = pieces[lastNotAfter(pieces, ({ from }) => from, time)];
      return piece ? piece.x0 + shareOf(time, piece.from, piece.to) * (piece.x1 - piece.x0) : 0;
    },
    timeOf(at) {
      const piece = pieces[lastNotAfter(pieces, ({ x0 }) => x0, at)];
      return piece ? piece.from + shareOf(at, piece.x0, piece.x1) * (piece.to - piece.from) : 0;
    },
  };
}

/** The index of the last item that is not after `value`, or of the first; items are sorted. */
export function lastNotAfter<T>(
  items: readonly T[],
  keyOf: (item: T) => number,
  value: number,
): number {
  let low = 0;
  let high = items.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function shareOf(value: number, from: number, to: number): number {
  return from === to ? 0 : Math.min(1, Math.max(0, (value - from) / (to - from)));
}

function fittingBreakPx(stretches: readonly Stretch[], width: number): number {
  return Math.min(BREAK_PX, (width * BREAK_SHARE) / Math.max(1, breaksIn(stretches)));
}

function breaksIn(stretches: readonly Stretch[]): number {
  return stretches.reduce((count, { isBreak }) => count + (isBreak ? 1 : 0), 0);
}

function workMs(stretches: readonly Stretch[]): number {
  const ms = stretches.reduce((sum, { isBreak, from, to }) => sum + (isBreak ? 0 : to - from), 0);
  return Math.max(1, ms);
}
