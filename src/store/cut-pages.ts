import type { RowQuery } from "../contract/stream.ts";
import { bytesIn, toContent } from "./content.ts";
import { countWithin } from "./page-rules.ts";
import type { EventRange, StoredEvent, StoredPatch, StreamPart } from "./stream-store.ts";

/* A store around a store cuts pages again, by the bytes of what it shows. */

/** A value with the bytes that it counts for; none where it was stored as it was handed in. */
export interface Shown<T> {
  readonly item: T;
  readonly bytes: number | null;
}

export function cutEvents(
  page: readonly Shown<StoredEvent>[],
  range: EventRange | undefined,
): StoredEvent[] {
  const isBackwards = range !== undefined && "before" in range;
  const inOrder = isBackwards ? page.toReversed() : page;
  const items = inOrder.slice(0, countShown(inOrder, range?.bytes)).map(({ item }) => item);
  return isBackwards ? items.reverse() : items;
}

/** Whole places only, as the store itself does. */
export function cutRows(
  page: readonly Shown<StoredPatch>[],
  query: RowQuery | undefined,
): StoredPatch[] {
  const items = page.map(({ item }) => item);
  const { bytes } = query ?? {};
  if (bytes === undefined || page.every((one) => one.bytes === null)) return items;
  const isBackwards = query?.before !== undefined;
  const places = [...new Set(items.map(({ place }) => place))];
  if (isBackwards) places.reverse();
  const sizes = places.map((place) =>
    page.reduce((sum, one) => (one.item.place === place ? sum + bytesOf(one) : sum), 0),
  );
  const kept = new Set(places.slice(0, countWithin(sizes, bytes)));
  return items.filter(({ place }) => kept.has(place));
}

/** How many fit. Where nothing was coded, the store has counted right. */
export function countShown(
  shown: readonly Shown<StoredEvent>[],
  bytes: number | undefined,
): number {
  if (bytes === undefined || shown.every((one) => one.bytes === null)) return shown.length;
  return countWithin(shown.map(bytesOf), bytes);
}

function bytesOf({ item, bytes }: Shown<{ readonly data: unknown }>): number {
  return bytes ?? bytesIn(toContent(item.data));
}

/** True if a page of the part is shown in another form than it was stored. */
export function isOther(part: StreamPart, shown: StreamPart): boolean {
  return (
    shown.rows.some((page, n) => page !== part.rows[n]) ||
    shown.events.some((page, n) => page !== part.events[n])
  );
}

export function sizeOfPart({ rows, events }: StreamPart): number {
  return [...rows.flat(), ...events.flat()].reduce(
    (sum, { data }) => sum + bytesIn(toContent(data)),
    0,
  );
}
