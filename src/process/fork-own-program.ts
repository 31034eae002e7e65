import { type ChildProcess, fork } from "node:child_process";
import { ownProgram } from "./own-program.ts";

/**
 * Starts this program again with a channel for messages, for work that this process must not do itself. It gets none of
 * its variables, and stores temporary files in this folder.
 */
export function forkOwnProgram(
  args: readonly string[],
  folder: string,
  flags: readonly string[],
): ChildProcess {
  const program = ownProgram();
  if (program === null) throw new Error("The program of Belay is missing.");
  return fork(program, [...args], {
    cwd: folder,
    env: { TMPDIR: folder },
    execArgv: [...flags],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}
