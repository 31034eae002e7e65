import { bytesIn, type Content } from "../content.ts";
import { countWithin } from "../page-rules.ts";

interface Sized {
  readonly data: Content;
}

/** The first items that together have at most this many bytes; at least one. */
export function limitBytes<T extends Sized>(items: readonly T[], bytes: number): T[] {
  if (bytes === Infinity) return [...items];
  const sizes = items.map((item) => sizeOf([item]));
  return items.slice(0, countWithin(sizes, bytes));
}

export function sizeOf(items: readonly Sized[]): number {
  return items.reduce((sum, { data }) => sum + bytesIn(data), 0);
}
