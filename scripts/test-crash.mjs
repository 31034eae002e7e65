#!/usr/bin/env node
// `npm run test:crash [-- --seed N --minutes M --real-only --simulated-only]`: deaths at every step, simulated and real.
// It first runs the tests in full of which `npm test` takes a sample. A full run takes 45 minutes and writes what it
// has found into docs/guide/promises.md; it is no part of `npm test`.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** The files of which `npm test` runs a sample. */
const sampled = readdirSync(join(root, "test"), { recursive: true })
  .map((name) => join("test", name))
  .filter((path) => path.endsWith(".test.ts"))
  .filter((path) => readFileSync(join(root, path), "utf8").includes("/sample-size.ts"));
const [major = 0] = process.versions.node.split(".").map(Number);
if (major < 24) {
  process.stderr.write("run it with `npm run test:crash`: it needs the Node that comes along\n");
  process.exit(1);
}

const args = process.argv.slice(2);
const isPart = args.includes("--real-only") || args.includes("--simulated-only");
if (!isPart && !isSoundInFull()) process.exit(1);

const { runCampaign } = await import("../test/campaign/run-campaign.ts");
try {
  process.exitCode = (await runCampaign(args)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function isSoundInFull() {
  const env = { ...process.env, BELAY_FULL: "1" };
  const vitest = ["exec", "--no", "--", "vitest", "run", ...sampled];
  return spawnSync("npm", vitest, { cwd: root, env, stdio: "inherit" }).status === 0;
}
