import type { RowQuery } from "../contract/stream.ts";
import { bytesIn, toContent } from "./content.ts";
import type { EventRange, StoredEvent, StoredPatch } from "./stream-store.ts";

/** Layers over a store, such as compression and encryption, cut pages again, by the size of the decoded contents. */

/** A decoded value and its size in bytes; null if it was stored unchanged. */
export interface Shown<T> {
  readonly item: T;
  readonly bytes: number | null;
}

/**
 * Decodes events until they exceed the byte limit of their page. Contents with a small stored form may be large when
 * they are decoded, so not all of them are decoded at once.
 */
export function showEvents<T extends StoredEvent>(
  page: readonly T[],
  range: EventRange | undefined,
  show: (event: T) => Shown<T>,
): Shown<T>[] {
  const isBackwards = range !== undefined && "before" in range;
  const single = page.map((event) => [event]);
  return showWithin(single, isBackwards, range?.bytes, show);
}

/** The same for rows. Like the store itself, it never splits the rows of one place. */
export function showRows(
  page: readonly StoredPatch[],
  query: RowQuery | undefined,
  show: (patch: StoredPatch) => Shown<StoredPatch>,
): Shown<StoredPatch>[] {
  const places: StoredPatch[][] = [];
  for (const patch of page) {
    const last = places.at(-1);
    if (last?.[0]?.place === patch.place) last.push(patch);
    else places.push([patch]);
  }
  return showWithin(places, query?.before !== undefined, query?.bytes, show);
}

function showWithin<T extends { readonly data: unknown }>(
  groups: readonly (readonly T[])[],
  isBackwards: boolean,
  bytes: number | undefined,
  show: (item: T) => Shown<T>,
): Shown<T>[] {
  const kept: Shown<T>[][] = [];
  let sum = 0;
  for (const group of isBackwards ? groups.toReversed() : groups) {
    const shown = group.map(show);
    if (bytes !== undefined) {
      for (const one of shown) sum += bytesOf(one);
      if (sum > bytes && kept.length > 0) break;
    }
    kept.push(shown);
  }
  return (isBackwards ? kept.reverse() : kept).flat();
}

export function bytesOf({ item, bytes }: Shown<{ readonly data: unknown }>): number {
  return bytes ?? bytesIn(toContent(item.data));
}
