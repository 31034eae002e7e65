import { spawnSync } from "node:child_process";

/**
 * Installs the Debian packages of commands that are missing. The keys are commands, the values packages. Where they
 * cannot be installed, a command may be replaced by one of its `substitutes`.
 */
export function installTools(tools, substitutes = {}) {
  const missing = Object.keys(tools).filter((command) => !isThere(command));
  if (missing.length === 0) return;

  const packages = missing.map((command) => tools[command]);
  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...packages];
  const problem = tryToInstall(install);
  if (problem === null) return;
  if (missing.every((command) => substitutes[command]?.some(isThere))) return;
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

/** Returns null, or why it failed. */
function tryToInstall(install) {
  if (process.getuid?.() !== 0 || !isThere("apt-get")) {
    return `The tests need programs that are missing. Install them, e.g. sudo ${install.join(" ")}`;
  }
  for (const [command, ...args] of [["apt-get", "update"], install]) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const done = spawnSync(command, args, { env, encoding: "utf8" });
    if (done.status === 0) continue;
    return `${done.stdout ?? ""}${done.stderr ?? ""}${[command, ...args].join(" ")} failed`;
  }
  return null;
}

function isThere(command) {
  return spawnSync("sh", ["-c", 'command -v "$0"', command]).status === 0;
}
