/** `npm run test:crash` takes the full number; `npm test` takes a sample. */
export function sampleSize({ full, sample }: { full: number; sample: number }): number {
  return process.env.BELAY_FULL === "1" ? full : sample;
}
