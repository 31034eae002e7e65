import { spawn } from "node:child_process";
import { bounded } from "./text-content.ts";

const OUTPUT_SHOWN = 32 * 1024;
/** A command may leave a process that holds its output open: how long to wait for the rest of it. */
const OUTPUT_SETTLES_MS = 100;

interface CommandResult {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs a shell command in a process group of its own, as agents do, so ending the agent does not end the command. A
 * cancel ends the group.
 */
export function runCommand(
  command: string,
  options: {
    readonly cwd: string;
    readonly signal: AbortSignal;
    readonly onOutput: (soFar: string) => Promise<void>;
  },
): Promise<CommandResult> {
  const { cwd, signal, onOutput } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn("sh", ["-c", command], {
      cwd,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const collect = (text: string): void => {
      if (output.length > OUTPUT_SHOWN) return;
      output += text;
      onOutput(bounded(output, OUTPUT_SHOWN)).catch(reject);
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);

    const onAbort = (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const end = (code: number | null): void => {
      signal.removeEventListener("abort", onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, output: bounded(output, OUTPUT_SHOWN) });
    };
    child.once("error", (error) => resolve({ code: null, output: error.message }));
    child.once("close", end);
    child.once("exit", (code) => setTimeout(() => end(code), OUTPUT_SETTLES_MS));
  });
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
