import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bundleWorker, CACHE } from "./bundle-worker.ts";

/** The end of a process, and its output. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of `workers/` to its end. */
export async function runWorker(name: string, args: readonly string[]): Promise<Ending> {
  return end(spawnSilent([process.execPath, await bundleWorker(name), ...args]));
}

/** The same under strace, which counts, fails or kills at system calls. */
export async function traceWorker(
  strace: readonly string[],
  name: string,
  args: readonly string[],
): Promise<Ending> {
  const node = [process.execPath, await bundleWorker(name), ...args];
  return end(spawnSilent(["strace", "-f", "-qq", ...strace, ...node]));
}

/** Starts a worker that can receive messages. */
export async function startWorker(name: string, args: readonly string[]): Promise<ChildProcess> {
  return spawn(process.execPath, [await bundleWorker(name), ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: environment(),
  });
}

/** Runs the command line as its users do. */
export function runBelay(home: string, args: readonly string[]): Promise<Ending> {
  return end(spawnSilent([process.execPath, belay, ...args], { BELAY_HOME: home }));
}

export const belay = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));

function spawnSilent(command: readonly string[], variables: NodeJS.ProcessEnv = {}): ChildProcess {
  const [program = "", ...args] = command;
  const env = { ...environment(), ...variables };
  return spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env });
}

/** Without the variables that the test runner sets for its own processes. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: CACHE };
}

async function end(child: ChildProcess): Promise<Ending> {
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child, "close");
  return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
}
