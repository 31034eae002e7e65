import { isRecord } from "../contract/is-record.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { checkProcess, identifyProcess } from "../process/process-identity.ts";
import type { FileLock, LockHolder as HolderOf, LockParty } from "./file-lock.ts";
import { acquireLock as acquireLockAs, findHolder as findHolderOf } from "./file-lock.ts";

export type { FileLock } from "./file-lock.ts";
/** The holder of a lock; null if its file does not say. */
export type LockHolder = HolderOf<ProcessIdentity>;

/** Acquires a file lock for this process, or returns its current holder. */
export function acquireLock(path: string): FileLock | LockHolder {
  return acquireLockAs(path, lockParty());
}

/** The current live holder of the lock; null if there is none. */
export function findHolder(path: string): LockHolder | null {
  return findHolderOf(path, lockParty());
}

/** Polls for the lock, for short work. Null if it was not free in time. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T | null> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const lock = acquireLock(path);
    if ("release" in lock) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (Date.now() > until) return null;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A lock ends after this time without renewal if nobody can check its holder. */
const LOCK_MS = 45_000;
const PATIENCE_MS = 2000;
const POLL_MS = 5;

/** This process as the holder of locks. */
function lockParty(): LockParty<ProcessIdentity> {
  const self = identifyProcess(process.pid);
  // A process of another pid namespace cannot be checked from here.
  return { self, parse: holderIn, isAlive: checkProcess, lease_ms: LOCK_MS };
}

function holderIn(owner: unknown): ProcessIdentity | null {
  if (!isRecord(owner)) return null;
  const { pid, start_time = null, boot_id = null, node } = owner;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return null;
  if (start_time !== null && typeof start_time !== "number") return null;
  if (boot_id !== null && typeof boot_id !== "string") return null;
  const who = { pid, start_time, boot_id };
  return node === null || typeof node === "string" ? { ...who, node } : who;
}
