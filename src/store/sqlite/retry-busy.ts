import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, toStorageError } from "./storage-error.ts";

/** Tries until nobody is in the way. SQLite's own waiting would stop the event loop and starve the slower writer. */
export async function retryBusy<T>(busyMs: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + busyMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toStorageError(error);
    }
    await pause();
  }
}

/** Random, so that two writers who collided do not collide again. */
export async function pause(): Promise<void> {
  await sleep(0.2 + 1.8 * Math.random());
}
