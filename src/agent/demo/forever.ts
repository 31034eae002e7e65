/** A promise that never resolves. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
