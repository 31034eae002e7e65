import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Served {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A program that prints its address as its first line, `{"url": ...}`. */
export async function serveWith(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { url } = JSON.parse(await firstLine(child));
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

export function serveBelay(
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const program = join(import.meta.dirname, "..", "bin", "belay.mjs");
  return serveWith([program, "serve", "--port", "0", "--json"], { BELAY_HOME: home, ...env });
}

/** The processor time that a process has used so far. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100;

export function authorization(home: string): { authorization: string } {
  return { authorization: `Bearer ${readFileSync(join(home, "server-token"), "utf8").trim()}` };
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("no output");
  const lines = createInterface({ input: stdout });
  for await (const line of lines) return line;
  throw new Error("ended without a word");
}
