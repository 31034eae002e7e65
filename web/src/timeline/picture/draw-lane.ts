import type { Item } from "../spans/items.ts";
import { type Lane, visibleIn } from "../spans/lanes.ts";
import { BY_WEIGHT, type Look, lookOf } from "../spans/looks.ts";
import { type Frame, placeOf } from "../time/frame.ts";

/** One shape of the picture: an item, or several that would be on the same few pixels. */
export interface Drawn {
  readonly key: string;
  readonly x0: number;
  readonly x1: number;
  readonly look: Look;
  /** Ordered by start. */
  readonly items: readonly Item[];
}

/** Shapes are drawn this far beyond the window's edges, so that a border there is invisible. */
const BEYOND_PX = 20;

/** The visible shapes of a lane; shapes narrower than `least` pixels are merged with their neighbors. */
export function drawLane(lane: Lane, frame: Frame, now: number, least: number): readonly Drawn[] {
  const { scale, offset, width } = frame;
  const from = scale.timeOf(Math.max(0, offset - BEYOND_PX));
  const to = scale.timeOf(offset + width + BEYOND_PX);
  const drawn: Drawn[] = [];
  let group: { x0: number; x1: number; items: Item[] } | null = null;
  const finish = (): void => {
    if (group) drawn.push({ ...group, key: keyOf(group.items), look: lookOfAll(group.items) });
    group = null;
  };
  for (const item of visibleIn(lane, { from, to })) {
    const x0 = placeOf(frame, item.from);
    const end = placeOf(frame, Math.min(item.to, Math.max(item.from, now)));
    if (end - x0 >= least) {
      finish();
      const [left, right] = [Math.max(-BEYOND_PX, x0), Math.min(width + BEYOND_PX, end)];
      drawn.push({
        key: item.key,
        x0: left,
        x1: Math.max(right, left + 1),
        look: lookOf(item.span),
        items: [item],
      });
    } else if (group && x0 < group.x1) {
      group.items.push(item);
    } else {
      // A failed item should only color its own place, so groups stay as narrow as one item.
      const begin: number = group && x0 < group.x1 + 1 ? group.x1 : x0;
      finish();
      group = { x0: begin, x1: begin + least, items: [item] };
    }
  }
  finish();
  return drawn;
}

function keyOf(items: readonly Item[]): string {
  return items[0]?.key ?? "";
}

function lookOfAll(items: readonly Item[]): Look {
  const looks = new Set(items.map(({ span }) => lookOf(span)));
  return BY_WEIGHT.find((look) => looks.has(look)) ?? "done";
}
