/** A sum that JSON can hold: numbers that agents report may be so large that their sum is infinite. */
export function finiteSum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_VALUE);
}
