import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { FileLock, LockHolder } from "../../files/lock.ts";
import { acquireLock, findHolder } from "../../files/lock.ts";
import type { Folder } from "../../files/open-folder.ts";
import { openFolder } from "../../files/open-folder.ts";
import { ignoreTemporary } from "./ignore-temporary.ts";

/** The path of a session's state, and its workspace: the folder above its own. */
export interface CopilotPlace {
  readonly file: string;
  readonly cwd: string;
}

export function placeOf(file: string): CopilotPlace {
  const path = resolve(file);
  const folder = dirname(path);
  if (isFolder(folder)) {
    const real = realpathSync(folder);
    return { file: join(real, basename(path)), cwd: dirname(real) };
  }
  const above = dirname(folder);
  if (existsSync(folder) || !isFolder(above)) {
    throw new BelayError(refuse("invalid_input", `Folder not found: ${folder}.`, { file: path }));
  }
  // The file is lost with its folder, but the workspace exists.
  const cwd = realpathSync(above);
  return { file: join(cwd, basename(folder), basename(path)), cwd };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Allows only one restore of a workspace at a time. The lock is released when this process ends, also by a signal. */
export function lockWorkspace(cwd: string): FileLock {
  ignoreTemporary(cwd);
  const folder = openFolder({ root: cwd, names: [".tmp"] }, { create: true });
  if (!folder) throw new Error(`${cwd} has no folder for the lock`);
  const lock = lockIn(folder, cwd);
  const stop = (signal: NodeJS.Signals): void => {
    lock.release();
    process.exit(STOPPED[signal === "SIGINT" ? "SIGINT" : "SIGTERM"]);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return {
    release() {
      process.off("SIGINT", stop).off("SIGTERM", stop);
      lock.release();
      folder.close();
    },
  };
}

function lockIn(folder: Folder, cwd: string): FileLock {
  try {
    const lock = acquireLock(folder.entry(LOCK));
    if ("held_by" in lock) throw held(cwd, lock);
    return lock;
  } catch (error) {
    folder.close();
    throw error;
  }
}

/** The exit codes of a shell for these signals. */
const STOPPED = { SIGINT: 130, SIGTERM: 143 } as const;

/** Refuses if the lock is held, for callers that only read. */
export function refuseHeld(cwd: string): void {
  const folder = openFolder({ root: cwd, names: [".tmp"] }, { create: false });
  try {
    const holder = folder && findHolder(folder.entry(LOCK));
    if (holder) throw held(cwd, holder);
  } finally {
    folder?.close();
  }
}

/** Explains a failed write of the file system in helpful words. */
export function whyNotWritten(cwd: string, error: unknown): unknown {
  if (error instanceof BelayError || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const refusal = ["EACCES", "EPERM", "EROFS"].includes(code)
    ? refuse(
        "storage_read_only",
        `Cannot write in ${cwd}, so nothing can be restored. Check its permissions, or use --dry-run to see the plan.`,
      )
    : ["ENOSPC", "EDQUOT"].includes(code)
      ? refuse("storage_full", `No space is left in ${cwd}. Free some space, then try again.`)
      : refuse("storage_failed", `Cannot restore ${cwd}: ${error.message}.`);
  return new BelayError({ ...refusal, details: { workspace: cwd } }, error);
}

const LOCK = "agent_recovery.lock";

function held(cwd: string, { held_by }: LockHolder): BelayError {
  const path = join(cwd, ".tmp", LOCK);
  const message = held_by
    ? `${cwd} is being restored by process ${held_by.pid}. Wait until it is done.`
    : `The lock ${path} does not name a process. Remove it if no process restores this workspace.`;
  return new BelayError(refuse("session_held", message, { workspace: cwd, holder: held_by }));
}

export function nothingToRestore(file: string): BelayError {
  const message = `Nothing to restore: neither ${file} nor events.ndjson in the folder above it exists. Check the path.`;
  return new BelayError(refuse("invalid_input", message, { file }));
}
