import { FINEST_PX_PER_MS, fittingPxPerMs, makeScale, type Scale } from "./scale.ts";
import type { Interval, Stretch } from "./stretches.ts";

/** The chosen part of the time; null means everything, including what is yet to come. */
export type View = { readonly pxPerMs: number; readonly left: number } | null;

/** A part of the axis behind a window of `width` pixels. */
export interface Frame {
  readonly stretches: readonly Stretch[];
  readonly width: number;
  readonly scale: Scale;
  /** The distance of the window from the start of the axis. */
  readonly offset: number;
}

export function makeFrame(stretches: readonly Stretch[], width: number, view: View): Frame {
  const fitting = fittingPxPerMs(stretches, width);
  const scale = makeScale(stretches, width, Math.max(fitting, view?.pxPerMs ?? fitting));
  const offset = view === null ? 0 : clampOffset(scale, width, scale.xOf(view.left));
  return { stretches, width, scale, offset };
}

/** The position of a time in the window. */
export function placeOf({ scale, offset }: Frame, time: number): number {
  return scale.xOf(time) - offset;
}

export function isWhole({ scale, width }: Frame): boolean {
  return scale.length <= width + 0.5;
}

/** Zooms around the pointer, so that the time under it stays there. */
export function zoomAt(frame: Frame, factor: number, at: number): View {
  const { stretches, width, scale, offset } = frame;
  const fitting = fittingPxPerMs(stretches, width);
  const finest = Math.max(fitting, FINEST_PX_PER_MS);
  const pxPerMs = Math.min(finest, scale.pxPerMs * factor);
  if (pxPerMs <= fitting) return null;
  const next = makeScale(stretches, width, pxPerMs);
  const time = scale.timeOf(offset + at);
  return viewAt(next, width, next.xOf(time) - at);
}

export function panBy(frame: Frame, px: number): View {
  if (isWhole(frame)) return null;
  return viewAt(frame.scale, frame.width, frame.offset + px);
}

/** Zooms to a time span, with some space around it. */
export function zoomTo(frame: Frame, { from, to }: Interval): View {
  const { stretches, width } = frame;
  const fitting = fittingPxPerMs(stretches, width);
  const wanted = width * 0.8;
  let low = fitting;
  let high = Math.max(fitting, FINEST_PX_PER_MS);
  // Breaks do not grow in proportion, so the scale is found by bisection.
  for (let nth = 0; nth < 50; nth += 1) {
    const middle = Math.sqrt(low * high);
    const scale = makeScale(stretches, width, middle);
    if (scale.xOf(to) - scale.xOf(from) > wanted) high = middle;
    else low = middle;
  }
  if (low <= fitting * 1.0001) return null;
  const scale = makeScale(stretches, width, low);
  return viewAt(scale, width, (scale.xOf(from) + scale.xOf(to)) / 2 - width / 2);
}

/** Moves the window only as far as needed to show the span; returns `view` if it is already visible. */
export function reveal(frame: Frame, view: View, { from, to }: Interval): View {
  const [x0, x1] = [placeOf(frame, from), placeOf(frame, to)];
  if (isWhole(frame) || (x1 > 0 && x0 < frame.width)) return view;
  return panBy(frame, x0 - frame.width * 0.25);
}

function viewAt(scale: Scale, width: number, offset: number): View {
  return { pxPerMs: scale.pxPerMs, left: scale.timeOf(clampOffset(scale, width, offset)) };
}

function clampOffset({ length }: Scale, width: number, offset: number): number {
  return Math.min(Math.max(0, length - width), Math.max(0, offset));
}
