import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorker, CACHE } from "../crash/bundle-worker.ts";

const COMPILER = ["cc", "gcc"].find((name) => spawnSync(name, ["--version"]).status === 0);

/** Says why changes of files cannot be recorded here; null if they can. */
export const recorderProblem =
  process.platform !== "linux"
    ? `the recorder of changes needs Linux, and this is ${process.platform}`
    : COMPILER === undefined
      ? "the recorder of changes needs a C compiler (cc or gcc)"
      : null;

export interface Recorded {
  /** The folder whose changes are noted. */
  readonly root: string;
  /** The file with the notes, not below the root. */
  readonly notes: string;
}

/** The environment in which a process notes its changes. */
export function recording({ root, notes }: Recorded): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: recorder(),
    RECORD_ROOT: root,
    RECORD_FILE: notes,
    // The recorder sees calls of the C library only.
    UV_USE_IO_URING: "0",
  };
}

/** Starts a program of `workers/`, in a process group of its own. */
export async function startRecorded(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  under: readonly string[] = [],
): Promise<ChildProcess> {
  const bundle = await bundleWorker(name, new URL(`./workers/${name}.ts`, import.meta.url));
  const [program = "", ...rest] = [...under, process.execPath, bundle, ...args];
  return spawn(program, rest, {
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
    env: { ...process.env, NODE_OPTIONS: "", NODE_COMPILE_CACHE: CACHE, ...env },
  });
}

let built: string | undefined;

/** The library, compiled once for each process that runs tests. */
function recorder(): string {
  if (built !== undefined) return built;
  const source = fileURLToPath(new URL("./recorder.c", import.meta.url));
  const partial = join(CACHE, `recorder-${process.pid}.so`);
  mkdirSync(CACHE, { recursive: true });
  const flags = ["-shared", "-fPIC", "-O1", "-Wall", "-o", partial, source, "-lpthread"];
  const done = spawnSync(COMPILER ?? "cc", flags, { encoding: "utf8" });
  if (done.status !== 0) throw new Error(`the recorder was not compiled: ${done.stderr}`);
  built = join(CACHE, "recorder.so");
  renameSync(partial, built);
  return built;
}
