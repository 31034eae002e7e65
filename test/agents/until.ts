import { setTimeout as sleep } from "node:timers/promises";

/** Polls until there is an answer. */
export async function until<T>(
  what: string,
  limit_ms: number,
  look: () => Promise<T | null> | T | null,
): Promise<T> {
  const deadline = performance.now() + limit_ms;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limit_ms / 1000} s`);
    await sleep(20);
  }
}

export async function within<T>(what: string, limit_ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${what}: not within ${limit_ms / 1000} s`);
    timer = setTimeout(() => reject(error), limit_ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
