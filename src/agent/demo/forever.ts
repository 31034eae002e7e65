/** Never comes back. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
