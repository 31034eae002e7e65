/** Long work that yields often, so that a caller can answer others in between. It returns its result. */
export type Steps<T> = Generator<void, T>;

/** Does all the work at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
