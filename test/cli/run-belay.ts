import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The parsed output of `--json`. */
  readonly json: unknown;
}

/** A data folder and a workspace of their own, and the real program on them. */
export function newPlace() {
  const root = mkdtempSync(join(tmpdir(), "belay-cli-"));
  const home = join(root, "home");
  return {
    root,
    home,
    belay: (...args: string[]) => runBelay(args, { cwd: root, home }),
    with: (env: Record<string, string>, ...args: string[]) =>
      runBelay(args, { cwd: root, home, env }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Starts the program, for commands that do not end by themselves. */
export function startBelay(args: readonly string[], place: { cwd: string; home: string }) {
  return spawn(process.execPath, [BIN, ...args], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: place.cwd, BELAY_HOME: place.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the program until it ends. */
export function runBelay(
  args: readonly string[],
  place: { cwd: string; home: string; env?: Record<string, string> },
): Promise<Ran> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: place.cwd, BELAY_HOME: place.home, ...place.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr, json: parse(stdout) }));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
