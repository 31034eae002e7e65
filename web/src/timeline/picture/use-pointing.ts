import { type MouseEvent, type PointerEvent, useMemo, useRef } from "react";
import { PAD_PX } from "./padded-svg.tsx";
import { edgesOf, type Placed, shapeAt } from "./place-shapes.ts";
import type { SpanActions } from "./session-tracks.tsx";

/**
 * Finds the shape under the pointer by position: shapes have no listeners of their own, because there may be thousands.
 */
export function usePointing(shapes: readonly Placed[], actions: SpanActions) {
  const last = useRef<Placed | null>(null);
  return useMemo(() => {
    const find = (event: MouseEvent): { one: Placed; anchor: DOMRect } | null => {
      const box = event.currentTarget.getBoundingClientRect();
      const one = shapeAt(shapes, event.clientX - box.left - PAD_PX, event.clientY - box.top);
      return one && { one, anchor: anchorOf(one, box) };
    };
    return {
      onPointerMove(event: PointerEvent<HTMLElement>): void {
        const found = event.buttons === 0 ? find(event) : null;
        if (found?.one === last.current) return;
        last.current = found?.one ?? null;
        event.currentTarget.style.cursor = found ? "pointer" : "";
        actions.point(found?.one.drawn.items ?? null, found?.anchor ?? null);
      },
      onPointerLeave(): void {
        last.current = null;
        actions.point(null, null);
      },
      onClick(event: MouseEvent): void {
        const found = find(event);
        if (found) actions.choose(found.one.drawn.items, found.anchor);
      },
      onDoubleClick(event: MouseEvent): void {
        const found = find(event);
        if (found) actions.enlarge(found.one.drawn.items);
      },
    };
  }, [shapes, actions]);
}

function anchorOf(one: Placed, box: DOMRect): DOMRect {
  const { left, right } = edgesOf(one);
  return new DOMRect(box.left + PAD_PX + left, box.top + one.y, right - left, one.track.barHeight);
}
