import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isRecord } from "../../src/contract/is-record.ts";
import { afterEachTest } from "../clean-up.ts";
import { bundleWorker } from "../crash/bundle-worker.ts";
import { until } from "./run-lab.ts";

const program = await bundleWorker("drive-worker", new URL("drive-worker.ts", import.meta.url));
const running = new Set<ChildProcess>();

afterEachTest(() => {
  for (const child of running) child.kill("SIGKILL");
});

export interface Worker {
  /** The events so far. */
  readonly heard: readonly Record<string, unknown>[];
  /** Waits for an event of this type. */
  hear(type: string): Promise<Record<string, unknown>>;
  /** Lets it end once its message is answered: its exit code, or the signal that ended it. */
  leave(): Promise<number | string>;
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Another process that sends a message to a session, or starts one, and listens. The optional command `under` runs it.
 */
export function runWorker(
  home: string,
  message: string,
  id = "",
  cwd = home,
  under: readonly string[] = [],
): Worker {
  const work = [process.execPath, program, home, message, id, cwd];
  const [command = "", ...args] = [...under, ...work];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  const heard: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event: unknown = JSON.parse(line);
    if (isRecord(event)) heard.push(event);
  });
  const ended = once(child, "close").then(() => {
    running.delete(child);
    return child.exitCode ?? child.signalCode ?? "lost";
  });
  return {
    heard,
    leave() {
      child.stdin.end();
      return ended;
    },
    hear: (type) => until(type, () => heard.find((event) => event.type === type)),
    signal: (signal) => void child.kill(signal),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
