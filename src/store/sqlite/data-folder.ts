import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Where a store lives. */
export interface DataFolder {
  readonly folder: string;
  readonly database: string;
  readonly wal: string;
  readonly anchor: string;
}

export function dataFolder(folder: string): DataFolder {
  const database = join(folder, "belay.db");
  return { folder, database, wal: `${database}-wal`, anchor: join(folder, "anchor.log") };
}

/** Makes what is missing, for its owner's eyes only. SQLite gives its other files the rights of the first. */
export function prepareFolder({ folder, database }: DataFolder): void {
  makeFolder(folder);
  try {
    closeSync(openPrivate(database, "ax"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw error;
  }
}

/** With what is missing above it. Not by `recursive`, which never ends where a parent takes no folders, as in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw error;
  }
  chmodSync(folder, 0o700);
}

/** Opens a file, 0600 whatever the umask when this makes it. */
export function openPrivate(path: string, flags: "ax" | "a"): number {
  try {
    const file = openSync(path, "ax", 0o600);
    fchmodSync(file, 0o600);
    return file;
  } catch (error) {
    const exists = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (exists && flags === "a") return openSync(path, "a", 0o600);
    throw error;
  }
}

/** Makes a new or renamed entry of a folder outlive a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
