/** `npm run test:crash` uses the full number; `npm test` uses a sample. */
export function sampleSize({ full, sample }: { full: number; sample: number }): number {
  return process.env.BELAY_FULL === "1" ? full : sample;
}
