#!/usr/bin/env node
// `npm run test:typing [-- --seed N --minutes M]`: types at random into the page while agents ask, for minutes instead of the
// seconds of `npm test`, and fails if that answers, interrupts or changes anything. Needs `npm run build` first.
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { seed: { type: "string" }, minutes: { type: "string", default: "5" } },
});
const seed = values.seed ?? `${Date.now() % 1_000_000}`;
const env = {
  ...process.env,
  BELAY_TYPING_SEED: seed,
  BELAY_TYPING_SECONDS: `${Number(values.minutes) * 60}`,
};
process.stdout.write(`seed ${seed}, ${values.minutes} min\n`);
const args = ["exec", "--no", "--", "vitest", "run", "test/web/e2e/typing.test.ts", "-t", "types"];
const { status } = spawnSync("npm", args, { env, stdio: "inherit" });
process.exitCode = status ?? 1;
