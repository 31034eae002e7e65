import { chmodSync, closeSync, fchmodSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";

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
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined) chmodSync(folder, 0o700);
  try {
    closeSync(openPrivate(database, "ax"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return;
    throw error;
  }
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
