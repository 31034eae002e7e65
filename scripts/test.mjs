#!/usr/bin/env node
// `npm test [-- vitest arguments]`: fetches the tools the tests drive, checks, builds, tests.
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Command the tests run -> Debian package that holds it. */
const tools = { strace: "strace", chromium: "chromium" };

const REPORTERS = ["--reporter=default", "--reporter=./test/time-budget.ts"];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

installMissing();
run("npm", "run", "--silent", "check");
run("npm", "run", "--silent", "build");
run("npm", "exec", "--no", "--", "vitest", "run", ...REPORTERS, ...process.argv.slice(2));

function installMissing() {
  const missing = Object.entries(tools)
    .filter(([command]) => !isThere(command))
    .map(([, name]) => name);
  if (missing.length === 0) return;

  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  if (process.getuid?.() !== 0 || !isThere("apt-get")) {
    stop(`the tests need: ${missing.join(", ")}. Install them, e.g. sudo ${install.join(" ")}`);
  }
  for (const [command, ...args] of [["apt-get", "update"], install]) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const done = spawnSync(command, args, { env, encoding: "utf8" });
    if (done.status === 0) continue;
    process.stderr.write(`${done.stdout ?? ""}${done.stderr ?? ""}`);
    stop(`${[command, ...args].join(" ")} failed`);
  }
}

function isThere(command) {
  return spawnSync("sh", ["-c", 'command -v "$0"', command]).status === 0;
}

function run(command, ...args) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
