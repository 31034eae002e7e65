#!/usr/bin/env node
// `npm test [-- vitest arguments]`: fetches the tools the tests drive, checks, builds, tests.
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installTools } from "./install-tools.mjs";

/** Command the tests run -> Debian package that holds it. */
const tools = {
  strace: "strace",
  "chromium-headless-shell": "chromium-headless-shell",
  bwrap: "bubblewrap",
  "redis-server": "redis-server",
};

/** They also draw a window for each visitor, so that the tests of the page take twice the processor time. */
const substitutes = {
  "chromium-headless-shell": ["chromium", "chromium-browser", "google-chrome"],
};

const REPORTERS = ["--reporter=default", "--reporter=./test/time-budget.ts"];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

installTools(tools, substitutes);
const args = process.argv.slice(2);
// All tests together include those that the check runs.
run("npm", "run", "--silent", args.length > 0 ? "check" : "lint");
if (!isBuilt()) run("npm", "run", "--silent", "build");
run("npm", "exec", "--no", "--", "vitest", "run", ...REPORTERS, ...args);

/** `npm ci` builds too. */
function isBuilt() {
  const built = ["node/main.js", "hook/hook.cjs", "web/index.html", "types/index.d.ts"];
  const oldest = Math.min(...built.map((file) => lastChange(join("dist", file))));
  const configs = readdirSync(root).filter((name) => /\.(json|ts)$/.test(name));
  return ["src", "web", "scripts", ...configs].every((path) => lastChange(path) < oldest);
}

/** Of a file, or of all that is in a folder; 0 if it is not there. */
function lastChange(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found?.mtimeMs ?? 0;
  const inside = readdirSync(join(root, path)).map((name) => lastChange(join(path, name)));
  return Math.max(found.mtimeMs, ...inside);
}

function run(command, ...args) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
