import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fieldsOf } from "../../src/agent/acp/read-fields.ts";
import type { RealAgent } from "./real-agents.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const cache =
  process.env.BELAY_AGENTS_CACHE || join(root, "node_modules", ".cache", "belay-agents");

/** The agent's program, installed in a folder of its own if this version is missing. */
export async function installAgent(
  name: string,
  agent: RealAgent,
  say: (line: string) => void,
): Promise<string> {
  const folder = join(cache, name);
  const program = join(folder, "node_modules", ".bin", agent.program);
  if (installedVersion(folder, agent) === agent.version && existsSync(program)) return program;
  const wanted = `${agent.package}@${agent.version}`;
  say(`installing ${wanted} ...`);
  mkdirSync(folder, { recursive: true });
  const begun = performance.now();
  await runNpm(["install", "--prefix", folder, "--no-audit", "--no-fund", wanted]);
  say(`installed ${wanted} in ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  return program;
}

function installedVersion(folder: string, agent: RealAgent): unknown {
  const manifest = join(folder, "node_modules", agent.package, "package.json");
  if (!existsSync(manifest)) return null;
  return fieldsOf(JSON.parse(readFileSync(manifest, "utf8"))).version;
}

async function runNpm(args: readonly string[]): Promise<void> {
  const npm = spawn("npm", args, { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  npm.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-4000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    npm.once("error", reject);
    npm.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${said}`);
}
