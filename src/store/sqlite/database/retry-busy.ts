import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, toStorageError } from "./storage-error.ts";

/**
 * Retries until the database is free. SQLite's own waiting would block the event loop and starve
 * the slower writer.
 */
export async function retryBusy<T>(busyMs: number, attempt: () => T): Promise<T> {
  // Read only after the first conflict: loading the clock costs a hook more than its query.
  let deadline: number | undefined;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      deadline ??= performance.now() + busyMs;
      if (!isBusy(error) || performance.now() >= deadline) throw toStorageError(error);
    }
    await pause();
  }
}

/** Random, so that two writers that collided do not collide again. */
export async function pause(): Promise<void> {
  await sleep(0.2 + 1.8 * Math.random());
}
