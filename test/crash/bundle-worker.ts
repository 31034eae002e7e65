import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** A worker and all it imports in one file: hundreds of processes start from it, each in half the time. */
export function bundleWorker(name: string): Promise<string> {
  const known = bundles.get(name) ?? bundle(name);
  bundles.set(name, known);
  return known;
}

/** For Node to keep what it compiled, inside the folder that goes with this process. */
export function compileCache(): string {
  return join(folder(), "compiled");
}

const bundles = new Map<string, Promise<string>>();
let made: string | undefined;

async function bundle(name: string): Promise<string> {
  const file = join(folder(), `${name}.mjs`);
  const input = fileURLToPath(new URL(`./workers/${name}.ts`, import.meta.url));
  const build = await rolldown({ input, platform: "node", external: [/^node:/] });
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}

function folder(): string {
  if (made === undefined) {
    const path = mkdtempSync(join(tmpdir(), "belay-crash-workers-"));
    process.once("exit", () => rmSync(path, { recursive: true, force: true }));
    made = path;
  }
  return made;
}
