/** Milliseconds, the same in all processes of this machine. A leap of the wall clock must not make anyone's lease run out. */
export function monotonic(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
