import { createHash, randomBytes } from "node:crypto";
import {
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from "node:fs";
import { isRecord } from "../core/deep-equal.ts";
import type { ProcessIdentity } from "../process/process-identity.ts";
import { checkProcess, identifyProcess } from "../process/process-identity.ts";
import { LEASE_MS } from "../store/lease-time.ts";

/** Who has a lock; null where its file does not tell. */
export type LockHolder = { readonly held_by: ProcessIdentity | null };
export interface FileLock {
  release(): void;
}

/**
 * Takes the lock that a file stands for, or says who has it. A dead owner's lock is taken over. The file appears whole
 * (it is linked, not written in place), so that one without an owner was made by another program and is respected.
 */
export function takeLock(path: string): FileLock | LockHolder {
  const mine = `${path}.${randomBytes(6).toString("hex")}`;
  const text = JSON.stringify({ ...identifyProcess(process.pid), nonce: mine });
  writeFileSync(mine, `${text}\n`, { flag: "wx", mode: 0o600 });
  try {
    const holder = claim(path, mine);
    return holder ?? keepLock(path);
  } finally {
    rmSync(mine, { force: true });
  }
}

function keepLock(path: string): FileLock {
  const touch = setInterval(() => {
    const now = new Date();
    // Where someone has removed the lock there is none to keep.
    utimes(path, now, now, () => {});
  }, LEASE_MS / 3).unref();
  return {
    release() {
      clearInterval(touch);
      rmSync(path, { force: true });
    },
  };
}

/** Who holds the lock now; null where nobody who lives does. */
export function findHolder(path: string): LockHolder | null {
  const text = readIfThere(path);
  if (text === null) return null;
  const held_by = ownerIn(text);
  return held_by && !isHolding(path, held_by) ? null : { held_by };
}

/** A process of another pid namespace cannot be looked at from here: it holds its lock as long as it touches the file. */
function isHolding(path: string, held_by: ProcessIdentity): boolean {
  const known = checkProcess(held_by);
  if (known !== null) return known;
  const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(Date.now() - touched) < LEASE_MS;
}

/** Polls, for work that takes moments only. Null: it was not to be had in time. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T | null> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const lock = takeLock(path);
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

const PATIENCE_MS = 2000;
const POLL_MS = 5;

/** Null once the lock is ours. */
function claim(path: string, mine: string): LockHolder | null {
  for (;;) {
    if (link(mine, path)) return null;
    const text = readIfThere(path);
    if (text === null) continue;
    const held_by = ownerIn(text);
    if (!held_by || isHolding(path, held_by)) return { held_by };
    const replaced = replaceDead(path, text, mine);
    if (replaced !== "gone") return replaced;
  }
}

/**
 * Of all who see the same dead lock only one may replace it: whoever has the lock named after it. Null: it was us.
 */
function replaceDead(path: string, dead: string, mine: string): LockHolder | null | "gone" {
  const digest = createHash("sha256").update(dead).digest("hex").slice(0, 12);
  const right = `${path}.${digest}`;
  const holder = claim(right, mine);
  if (holder) return holder;
  try {
    if (readIfThere(path) !== dead) return "gone";
    const copy = `${mine}.new`;
    linkSync(mine, copy);
    renameSync(copy, path);
    return null;
  } finally {
    rmSync(right, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function ownerIn(text: string): ProcessIdentity | null {
  const owner = parse(text);
  if (!isRecord(owner)) return null;
  const { pid, start_time = null, boot_id = null, node } = owner;
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return null;
  if (start_time !== null && typeof start_time !== "number") return null;
  if (boot_id !== null && typeof boot_id !== "string") return null;
  const who = { pid, start_time, boot_id };
  return node === null || typeof node === "string" ? { ...who, node } : who;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
