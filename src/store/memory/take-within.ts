interface Sized {
  readonly data: unknown;
}

/** As many as have no more than so many bytes together; at least one. */
export function takeWithin<T extends Sized>(items: readonly T[], bytes: number): T[] {
  if (bytes === Infinity) return [...items];
  let sum = 0;
  const end = items.findIndex((item) => {
    sum += sizeOf([item]);
    return sum > bytes;
  });
  return items.slice(0, end < 0 ? items.length : Math.max(1, end));
}

export function sizeOf(items: readonly Sized[]): number {
  return items.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0);
}
