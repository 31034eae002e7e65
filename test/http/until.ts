import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "../patience.ts";

/** Waits for a condition, and fails if it does not become true. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  ms = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`not so within ${ms} ms: ${isSo}`);
    await sleep(10);
  }
}
