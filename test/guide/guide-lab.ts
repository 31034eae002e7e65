import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RealServer, RunningProgram } from "../serve/server-process.ts";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));

/** The default address in the guides. The tests' server uses a free port. */
const DEFAULT_URL = "http://127.0.0.1:4747";

export interface Shown {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example in bash as a reader of the guide would: `belay` is installed, and a server runs. */
export async function runExample(server: RealServer, script: string): Promise<Shown> {
  const { place, url, token } = server;
  const program = new RunningProgram(
    ["/bin/bash", "-e", "-o", "pipefail", "-c", script.replaceAll(DEFAULT_URL, url)],
    place,
    {
      BELAY_URL: url,
      BELAY_TOKEN: token,
      PATH: `${installBelay(place.root)}:${process.env.PATH}`,
    },
  );
  const code = await program.ended;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

function installBelay(root: string): string {
  const folder = join(root, "bin");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "belay");
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}
