import { spawnSync } from "node:child_process";

/** Installs the Debian packages of commands that are missing. The keys are commands, the values packages. */
export function installTools(tools) {
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

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
