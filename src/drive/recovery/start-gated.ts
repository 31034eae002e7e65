import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { createFile } from "../../files/open-file.ts";
import { withFolder } from "../../files/open-folder.ts";
import { readFile } from "../../files/read-file.ts";
import { isolate } from "../../process/isolate.ts";
import type { Confinement } from "./drive-context.ts";

/** The log that stores the output of a step. */
export interface StepLog {
  readonly root: string;
  readonly names: readonly string[];
}

export interface GatedProcess {
  readonly child: ChildProcess;
  readonly log: string;
  /** Starts the command. */
  open(): void;
  ended(): Promise<{ readonly code: number | null; readonly output: string }>;
}

/**
 * The shell waits for a line from us. If this process dies first, the shell reads the end of its input and runs
 * nothing.
 */
const GATE = 'IFS= read -r word && exec sh -c "$1" </dev/null';
const OUTPUT_BYTES = 4000;

/**
 * Starts a command's process without running the command, so that the process can be recorded first. Its output goes
 * into a file.
 */
export function startGated(
  command: string,
  options: {
    readonly place: Confinement;
    readonly kept: StepLog;
    readonly now: number;
    readonly nth: number;
  },
): GatedProcess {
  const { place, kept, now, nth } = options;
  const { cwd, env, sandbox } = place;
  const time = new Date(now).toISOString().replaceAll(/[-:]/g, "");
  const name = `${time}-rollback-${nth}-${randomBytes(2).toString("hex")}.log`;
  makeFolder(kept.root);
  const { output, log } = withFolder(kept, (folder) => ({
    output: createFile(folder.entry(name)),
    log: join(folder.path, name),
  }));
  const gate = { command: "sh", args: ["-c", GATE, "sh", command] };
  const { command: program, args } = sandbox ? isolate(gate, sandbox, cwd) : gate;
  const child = spawn(program, args, {
    // A sandbox enters the work folder itself, so that a link in it leads nowhere else.
    cwd: sandbox?.folder ?? cwd,
    env,
    stdio: ["pipe", output, output],
  });
  closeSync(output);
  // It may exit before it reads; its exit reports that.
  child.stdin?.on("error", () => {});
  const end = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", (code) => resolve(code));
  });
  return {
    child,
    log,
    open: () => void child.stdin?.end("go\n"),
    async ended() {
      const code = await end;
      const said = readFile(log)?.subarray(-OUTPUT_BYTES).toString("utf8") ?? "";
      return { code, output: said };
    },
  };
}
