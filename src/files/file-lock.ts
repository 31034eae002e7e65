import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  linkSync,
  lstatSync,
  lutimes,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { errorCode } from "./file-refusal.ts";
import { createFile } from "./open-file.ts";
import { readFile } from "./read-file.ts";

/** The process that acquires locks, and its checks of other holders. */
export interface LockParty<T> {
  readonly self: T;
  /** Null for a value that names no holder. */
  parse(value: unknown): T | null;
  /** Null if it cannot be known: then the holder has the lock as long as it touches the file at least this often. */
  isAlive(holder: T): boolean | null;
  readonly lease_ms: number;
}

/** The holder of a lock; null if its file does not say. */
export interface LockHolder<T> {
  readonly held_by: T | null;
}
export interface FileLock {
  release(): void;
}

/**
 * Acquires a file lock, or returns its holder. A dead holder's lock is replaced. The file appears complete (it is
 * linked, not written in place), so a file without a holder was made by another program and is respected.
 */
export function acquireLock<T extends object>(
  path: string,
  party: LockParty<T>,
): FileLock | LockHolder<T> {
  const mine = `${path}.${randomBytes(6).toString("hex")}`;
  const file = createFile(mine);
  try {
    writeFileSync(file, `${JSON.stringify({ ...party.self, nonce: mine })}\n`);
    const holder = claim(path, mine, party);
    return holder ?? renewLock(path, party.lease_ms);
  } finally {
    closeSync(file);
    rmSync(mine, { force: true });
  }
}

function renewLock(path: string, lease_ms: number): FileLock {
  const touch = setInterval(() => {
    const now = new Date();
    // If someone has removed the lock, there is none to renew.
    lutimes(path, now, now, () => {});
  }, lease_ms / 3).unref();
  return {
    release() {
      clearInterval(touch);
      rmSync(path, { force: true });
    },
  };
}

/** The current live holder of the lock; null if there is none. */
export function findHolder<T>(path: string, party: LockParty<T>): LockHolder<T> | null {
  const text = readText(path);
  if (text === null) return null;
  const held_by = holderIn(text, party);
  return held_by && !isHolding(path, held_by, party) ? null : { held_by };
}

function isHolding<T>(path: string, holder: T, { isAlive, lease_ms }: LockParty<T>): boolean {
  const known = isAlive(holder);
  if (known !== null) return known;
  const touched = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Math.abs(Date.now() - touched) < lease_ms;
}

/** Null once the lock is ours. */
function claim<T>(path: string, mine: string, party: LockParty<T>): LockHolder<T> | null {
  for (;;) {
    if (link(mine, path)) return null;
    const text = readText(path);
    if (text === null) continue;
    const held_by = holderIn(text, party);
    if (!held_by || isHolding(path, held_by, party)) return { held_by };
    const replaced = replaceDead(path, text, mine, party);
    if (replaced !== "gone") return replaced;
  }
}

/**
 * Only one of all processes that see the same dead lock may replace it: the holder of a second lock named after it.
 * Null if that was us.
 */
function replaceDead<T>(
  path: string,
  dead: string,
  mine: string,
  party: LockParty<T>,
): LockHolder<T> | null | "gone" {
  const digest = createHash("sha256").update(dead).digest("hex").slice(0, 12);
  const right = `${path}.${digest}`;
  const holder = claim(right, mine, party);
  if (holder) return holder;
  try {
    if (readText(path) !== dead) return "gone";
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
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function holderIn<T>(text: string, party: LockParty<T>): T | null {
  try {
    return party.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  return readFile(path)?.toString("utf8") ?? null;
}
