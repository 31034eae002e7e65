/**
 * Milliseconds that are the same in all processes of this machine. A jump of the wall clock must
 * not end a lease.
 */
export function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
