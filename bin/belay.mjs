#!/usr/bin/env node
// Starts on whatever Node is on PATH, so it keeps to syntax and APIs that old versions have.

const isHook = process.argv[2] === "hook";
// Not imported where that can be helped: it makes Node load everything that a builtin could export.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? (await import(name));
const { existsSync, readdirSync, statSync } = await builtin("node:fs");
const { createRequire, enableCompileCache } = await builtin("node:module");
const { dirname, join } = await builtin("node:path");
const { fileURLToPath, pathToFileURL } = await builtin("node:url");

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));

if (!isRecent(process.versions.node)) await relaunch();
else if (isHook) await startHook();
else await start();

/** Ends with the launcher, however that was ended: people end the process that they know. */
function followLauncher() {
  const launcher = Number(process.env.BELAY_LAUNCHER);
  delete process.env.BELAY_LAUNCHER;
  if (process.ppid !== launcher) return;
  const looking = setInterval(() => {
    if (process.ppid === launcher) return;
    clearInterval(looking);
    process.kill(process.pid, "SIGTERM");
  }, 250);
  looking.unref();
}

async function start() {
  followLauncher();
  const entry = findEntry();
  if (!entry) fail(`nothing to run in ${root}; run "npm ci" there`);
  // Inside the package, not in a shared temp folder where another user could plant compiled code.
  enableCompileCache(join(root, "dist", "node", ".cache"));
  await import(pathToFileURL(entry).href);
}

/** Hooks run their bundle even where sources are newer: to look at each of those takes longer than the answer. */
async function startHook() {
  try {
    if (!existsSync(join(root, "dist", "hook", "hook.cjs"))) return await start();
    createRequire(self)("./belay-hook.cjs");
  } catch (error) {
    fail(error.message);
  }
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
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, BELAY_LAUNCHER: String(process.pid) },
  });

  // What the terminal sends reaches the child too; a second copy would read as "force".
  const typed = isatty(0) ? ["SIGINT", "SIGQUIT", "SIGHUP"] : [];
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

/** A hook must not break the agent that called it, whatever is missing here. */
function fail(message) {
  process.stderr.write(`belay: ${message}\n`);
  process.exit(isHook ? 0 : 70);
}
