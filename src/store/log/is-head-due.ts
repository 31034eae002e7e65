/** A head is stored whenever a transaction passes a multiple of this. */
const EVERY = 32;

export function isHeadDue(before: number, after: number): boolean {
  return Math.floor(before / EVERY) < Math.floor(after / EVERY);
}
