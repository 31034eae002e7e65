import { once } from "node:events";

/** Says that it is ready, and waits for all the others. */
export async function whenAllAreReady(): Promise<void> {
  process.send?.("ready");
  await once(process, "message");
}

/** The last word of a worker. */
export function reportBack(result: unknown): void {
  process.send?.(result);
}
