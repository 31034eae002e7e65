import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

export interface Bundles {
  readonly folder: string;
  /** The simulated machine with everything on it. */
  readonly simulate: string;
  readonly worker: string;
  /** The command line. */
  readonly belay: string;
}

/** One file per program: thousands of processes start from them, and edits meanwhile have no effect. */
export async function bundleCampaign(): Promise<Bundles> {
  const folder = mkdtempSync(join(tmpdir(), "belay-campaign-"));
  const simulate = await bundle("./simulated/simulate.ts", join(folder, "simulate.mjs"), true);
  const worker = await bundle("./real/worker.ts", join(folder, "worker.mjs"), false);
  const belay = await bundle("../../src/main.ts", join(folder, "belay.mjs"), false);
  return { folder, simulate, worker, belay };
}

async function bundle(entry: string, file: string, simulated: boolean): Promise<string> {
  const build = await rolldown({
    input: pathOf(entry),
    platform: "node",
    external: [/^node:/],
    logLevel: "warn",
    plugins: simulated ? [simulatedMachine] : [],
  });
  await build.write({ file, format: "esm", codeSplitting: false });
  await build.close();
  return file;
}

/** The simulated machine has only the scenario's processes, and its own shell. */
const simulatedMachine = {
  name: "simulated-machine",
  resolveId(source: string) {
    if (source.endsWith("/read-proc.ts")) return pathOf("./simulated/simulated-proc.ts");
    return source.endsWith("/start-gated.ts") ? pathOf("./simulated/simulated-shell.ts") : null;
  },
};

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
