import {
  type PointerEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from "react";
import { makeFrame, panBy, type View, zoomAt, zoomTo } from "../time/frame.ts";
import type { Stretch } from "../time/stretches.ts";

const DRAG_PX = 4;

/** A range that is marked with the shift key, in pixels of the window. */
interface Marked {
  readonly from: number;
  readonly to: number;
}

/** The visible part of the time, and how pointers and the wheel change it. `gutter` is the width to its left. */
export function useView(
  surface: RefObject<HTMLElement | null>,
  stretches: readonly Stretch[],
  width: number,
  gutter: number,
) {
  const [view, setView] = useState<View>(null);
  const [marked, setMarked] = useState<Marked | null>(null);
  const pointers = useRef(new Map<number, number>());
  const pressed = useRef<{ readonly x: number; readonly marks: boolean } | null>(null);
  const dragged = useRef(false);
  const frame = useMemo(() => makeFrame(stretches, width, view), [stretches, width, view]);

  const placeIn = (clientX: number): number =>
    clientX - (surface.current?.getBoundingClientRect().left ?? 0) - gutter;

  const onWheel = useEffectEvent((event: WheelEvent) => {
    const isZoom = event.ctrlKey || event.metaKey;
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (isZoom) setView(zoomAt(frame, Math.exp(-event.deltaY / 200), placeIn(event.clientX)));
    else if (Math.abs(sideways) > Math.abs(event.deltaY) / 2 && view !== null) {
      setView(panBy(frame, sideways));
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    const element = surface.current;
    if (!element) return;
    // React's own listeners are passive, so the browser would zoom the whole page.
    const listen = (event: WheelEvent) => onWheel(event);
    element.addEventListener("wheel", listen, { passive: false });
    return () => element.removeEventListener("wheel", listen);
  }, [surface]);

  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    pointers.current.set(event.pointerId, event.clientX);
    pressed.current = { x: event.clientX, marks: event.shiftKey };
    dragged.current = false;
  };
  const onPointerMove = (event: PointerEvent): void => {
    const before = pointers.current.get(event.pointerId);
    const start = pressed.current;
    if (before === undefined || !start) return;
    if (!dragged.current && Math.abs(event.clientX - start.x) < DRAG_PX) return;
    if (!dragged.current) event.currentTarget.setPointerCapture(event.pointerId);
    dragged.current = true;
    const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
    pointers.current.set(event.pointerId, event.clientX);
    if (other !== undefined) {
      const factor = Math.abs(event.clientX - other) / Math.max(1, Math.abs(before - other));
      setView(zoomAt(frame, factor, placeIn((event.clientX + other) / 2)));
    } else if (start.marks) {
      const ends = [placeIn(start.x), placeIn(event.clientX)].sort((a, b) => a - b);
      setMarked({ from: Math.max(0, ends[0] ?? 0), to: Math.min(width, ends[1] ?? 0) });
    } else setView(panBy(frame, before - event.clientX));
  };
  const onPointerUp = (event: PointerEvent): void => {
    pointers.current.delete(event.pointerId);
    if (pointers.current.size === 0) pressed.current = null;
    if (!marked) return;
    const [from, to] = [marked.from, marked.to].map((x) => frame.scale.timeOf(frame.offset + x));
    if (from !== undefined && to !== undefined) setView(zoomTo(frame, { from, to }));
    setMarked(null);
  };

  return {
    frame,
    view,
    setView,
    marked,
    /** True if the pointer has dragged, so that its release selects nothing. */
    wasDragged: () => dragged.current,
    handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp },
  };
}
