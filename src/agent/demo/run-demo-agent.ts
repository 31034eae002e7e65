import { spawn } from "node:child_process";
import { constants } from "node:os";
import { columns } from "./columns.ts";
import { directiveLines } from "./directives.ts";
import type { Flags } from "./flags.ts";
import { FLAGS, readFlags } from "./flags.ts";
import { createMemory } from "./memory.ts";
import { serveProtocol } from "./serve-protocol.ts";
import { openStdio } from "./stdio.ts";

const USAGE_ERROR = 2;

/**
 * Serves one client on stdin and stdout. Resolves with the exit code when the client disconnects; the caller must then
 * exit, because turns may hang.
 */
export async function runDemoAgent(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(helpText());
    return 0;
  }
  const flags = readFlags(args);
  if (typeof flags === "string") {
    process.stderr.write(`demo agent: ${flags}\n\n${helpText()}`);
    return USAGE_ERROR;
  }
  if (flags.has("relaunch")) return relaunch();
  return serve(flags);
}

function serve(flags: Flags): Promise<number> {
  if (flags.has("ignore-term")) process.on("SIGTERM", () => {});
  // Nothing else may keep it running once stdin has ended.
  if (flags.has("ignore-end")) setInterval(() => {}, 60_000);
  const memory = createMemory(process.env);
  return new Promise((resolve) => {
    const stdio = openStdio({ noise: flags.has("noise"), ignoreEnd: flags.has("ignore-end") });
    const connection = serveProtocol(stdio, { flags, memory, exit: resolve, hung: false });
    // Turns that the end cancelled get the time to write their state.
    void connection.closed.then(() => setImmediate(() => resolve(0)));
  });
}

function helpText(): string {
  const flags = Object.entries<{ takes?: string; doc: string }>(FLAGS);
  return [
    "The demo agent speaks the Agent Client Protocol on stdin and stdout. It needs no network and no key.",
    "Write to it as you would to any agent. A line that starts with / is a directive, and the agent performs it:",
    "",
    ...directiveLines(),
    "",
    "It can misbehave in the ways that agents do:",
    "",
    ...columns(
      flags.map(([name, { takes, doc }]) => [`--${name}${takes ? ` ${takes}` : ""}`, doc]),
    ),
    "",
    "It stores its memory in $BELAY_DEMO_FOLDER, or in demo-agent in $BELAY_HOME or ~/.belay.",
    "",
  ].join("\n");
}

/**
 * Runs this same command again as a child on the same stdin and stdout, and exits like it. Killing only the parent
 * leaves the child behind.
 */
function relaunch(): Promise<number> {
  const args = process.argv.slice(1).filter((arg) => arg !== "--relaunch");
  const child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    );
  });
}
