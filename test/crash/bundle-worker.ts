import { renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Not published or committed; Node also caches its compiled code there. */
export const CACHE = fileURLToPath(new URL("../../node_modules/.cache/crash", import.meta.url));

/** A worker with all its imports in one file: hundreds of processes start from it, each in half the time. */
export function bundleWorker(
  name: string,
  source = new URL(`./workers/${name}.ts`, import.meta.url),
): Promise<string> {
  const known = bundles.get(name) ?? bundle(name, fileURLToPath(source));
  bundles.set(name, known);
  return known;
}

const bundles = new Map<string, Promise<string>>();

async function bundle(name: string, input: string): Promise<string> {
  const file = join(CACHE, `${name}.mjs`);
  const partial = join(CACHE, `${name}-${process.pid}.mjs`);
  const build = await rolldown({ input, platform: "node", external: [/^node:/] });
  await build.write({ file: partial, format: "esm", codeSplitting: false });
  await build.close();
  // Renamed when complete, because another test may be starting the same worker.
  renameSync(partial, file);
  return file;
}
