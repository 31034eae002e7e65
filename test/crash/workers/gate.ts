import { once } from "node:events";

/** Reports that it is ready, and waits for all the others. */
export async function whenAllAreReady(): Promise<void> {
  process.send?.("ready");
  await once(process, "message");
}

/** The final report of a worker. */
export function reportBack(result: unknown): void {
  process.send?.(result);
}
