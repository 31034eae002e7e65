#!/usr/bin/env node
// Starts on whatever Node is on PATH, so it keeps to syntax and APIs that old versions have.
import { existsSync, readdirSync, statSync } from "node:fs";
import module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));

if (isRecent(process.versions.node)) await start();
else await relaunch();

async function start() {
  const entry = findEntry();
  if (!entry) fail(`nothing to run in ${root}; run "npm ci" there`);
  // Inside the package, not in a shared temp folder where another user could plant compiled code.
  module.enableCompileCache(join(root, "dist", "node", ".cache"));
  await import(pathToFileURL(entry).href);
}

/** The bundle; or, in a checkout whose sources are newer, the sources themselves. */
function findEntry() {
  const bundle = join(root, "dist", "node", "main.js");
  const sources = join(root, "src");
  const builtAt = modifiedAt(bundle);
  if (!existsSync(sources)) return builtAt && bundle;
  if (builtAt && !hasNewer(sources, builtAt)) return bundle;
  const source = join(sources, "main.ts");
  return existsSync(source) && existsSync(join(root, "node_modules")) ? source : builtAt && bundle;
}

function hasNewer(folder, time) {
  if (modifiedAt(folder) > time) return true;
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? hasNewer(path, time) : modifiedAt(path) > time;
  });
}

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Runs this file again on the Node that came with the package, and ends the way it ended. */
async function relaunch() {
  const node = findNode();
  if (!node) {
    fail(`needs Node 24.15 or newer, this is ${process.version}; run "npm ci" in ${root}`);
  }
  const { spawn } = await import("node:child_process");
  const { isatty } = await import("node:tty");
  const child = spawn(node, [self, ...process.argv.slice(2)], { stdio: "inherit" });

  // Ctrl-C reaches the child too, as it shares our terminal; a second copy would read as "force".
  const typed = isatty(0) ? ["SIGINT", "SIGQUIT"] : [];
  const signals = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR2"];
  for (const signal of signals) {
    process.on(signal, () => typed.includes(signal) || child.kill(signal));
  }

  child.on("error", (error) => fail(`cannot run ${node}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function findNode() {
  const name = `node-linux-${process.arch}`;
  const require = createRequire(self);
  try {
    if (!isRecent(require(`${name}/package.json`).version)) return undefined;
    return require.resolve(`${name}/bin/node`);
  } catch {
    return undefined;
  }
}

function isRecent(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

function fail(message) {
  process.stderr.write(`belay: ${message}\n`);
  process.exit(70);
}
