import { join } from "node:path";
import { bundleWorker, CACHE } from "../../crash/bundle-worker.ts";

/** The demo agent in one file, which starts in a third of the time. */
export const DEMO_PROGRAM = join(CACHE, "demo-agent.mjs");

/** Lets Node cache its compiled code. */
export const DEMO_ENV = { NODE_COMPILE_CACHE: CACHE };

/** Bundles it from the sources, once before each run of the tests. */
export default async function setup(): Promise<void> {
  await bundleWorker("demo-agent");
}
