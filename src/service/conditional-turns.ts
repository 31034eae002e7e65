/**
 * Fairness between callers of one process. Whoever reads a version and writes only if it is still there loses every
 * race against one that writes all the time. So after a failed condition, unconditional changes of that session wait a
 * moment for the next try. They are free for as long again afterwards, so that nobody can hold a session for himself.
 */
const turns = new Map<string, Turn>();

/** The longest that a change waits for another caller's condition. */
export const HOLD_MS = 50;

interface Turn {
  readonly released: Promise<void>;
  release(): void;
}

/** Waits until nobody's next try is expected. At most once for each change. */
export async function waitForTurn(session: string): Promise<void> {
  await turns.get(session)?.released;
}

/** Keeps a session free for the next try of a caller whose condition has just failed. */
export function holdTurn(session: string): void {
  if (turns.has(session)) return;
  const since = performance.now();
  const { promise: released, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const end = setTimeout(release, HOLD_MS);
  turns.set(session, { released, release });

  function release(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(end);
    resolve();
    // The entry holds nobody any more. It stays for as long again, so that no second hold begins meanwhile.
    setTimeout(() => turns.delete(session), performance.now() - since).unref();
  }
}

/** The condition was met: others go on. */
export function releaseTurn(session: string): void {
  turns.get(session)?.release();
}
