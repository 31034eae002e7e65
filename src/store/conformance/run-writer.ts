import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Acknowledgement } from "./write-until-killed.ts";

interface Writer {
  /** The acknowledged writes of the process; complete once it is killed. */
  readonly acknowledgements: readonly Acknowledgement[];
  /** Waits until the process has this many acknowledged writes. */
  acknowledged(count: number): Promise<void>;
  kill(): Promise<void>;
}

/** Runs a program that ends in `writeUntilKilled` as a separate process. */
export function runWriter(program: URL, folder: string, ids: readonly string[]): Writer {
  const child = spawn(process.execPath, [fileURLToPath(program), folder, ...ids], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledgements: Acknowledgement[] = [];
  const lines = createInterface({ input: child.stdout });
  const ended = once(lines, "close");
  const exited = once(child, "exit");
  let check = () => {};
  lines.on("line", (line) => {
    // The kill may cut the last line short; that acknowledgement does not count.
    if (!line.endsWith("}")) return;
    acknowledgements.push(JSON.parse(line));
    check();
  });

  return {
    acknowledgements,
    acknowledged: (count) =>
      new Promise((resolve, reject) => {
        check = () => acknowledgements.length >= count && resolve();
        check();
        ended.then(() => reject(new Error("the writer ended by itself")), reject);
      }),
    kill: async () => {
      child.kill("SIGKILL");
      await Promise.all([exited, ended]);
    },
  };
}
