import { renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Outside of what is published or committed; Node keeps what it compiled there too. */
export const CACHE = fileURLToPath(new URL("../../node_modules/.cache/crash", import.meta.url));

/** A worker and all it imports in one file: hundreds of processes start from it, each in half the time. */
export function bundleWorker(name: string): Promise<string> {
  const known = bundles.get(name) ?? bundle(name);
  bundles.set(name, known);
  return known;
}

const bundles = new Map<string, Promise<string>>();

async function bundle(name: string): Promise<string> {
  const file = join(CACHE, `${name}.mjs`);
  const partial = join(CACHE, `${name}-${process.pid}.mjs`);
  const input = fileURLToPath(new URL(`./workers/${name}.ts`, import.meta.url));
  const build = await rolldown({ input, platform: "node", external: [/^node:/] });
  await build.write({ file: partial, format: "esm", codeSplitting: false });
  await build.close();
  // Whole or not at all: another test may be starting the same worker.
  renameSync(partial, file);
  return file;
}
