import { type BigIntStats, statSync } from "node:fs";
import { BelayError, refuse } from "../../../contract/errors.ts";
import type { DataFolder } from "./data-folder.ts";

/**
 * The files that a store writes to, by device and inode. A descriptor still works after its file
 * was moved or removed, so only checking the path shows that the written data would be lost.
 */
export class OpenFiles {
  readonly #files: DataFolder;
  readonly #now: () => number;
  readonly #known = new Map<string, string | null>();
  #settled: BigIntStats | undefined;

  /**
   * Must run before the database is opened, so that a file swapped in later is detected. `now` is the time of the
   * system's clock in milliseconds.
   */
  constructor(files: DataFolder, now: () => number = Date.now) {
    this.#files = files;
    this.#now = now;
    this.#known.set(files.database, identify(files.database));
  }

  /**
   * Throws if a known file is no longer at its path. Moving, replacing or removing a file changes its folder, so while
   * the folder is unchanged its files need not be looked at one by one.
   */
  check(): void {
    // Examined before the files, so that a change while they are examined is noticed by the next check.
    const folder = examine(this.#files.folder);
    if (folder && this.#settled && isUnchanged(folder, this.#settled)) return;
    const { database, wal, sharedMemory, anchor } = this.#files;
    for (const path of [database, wal, sharedMemory, anchor]) {
      const known = this.#known.get(path) ?? null;
      const found = identify(path);
      // SQLite creates the files next to the database on demand.
      if (known === null) this.#known.set(path, found);
      else if (found !== known) throw replaced(path);
    }
    this.#settled = folder && this.#isSettled(folder) ? folder : undefined;
  }

  /** Call for a new connection, which may have created new files next to the database. */
  reopened(): void {
    this.#known.delete(this.#files.wal);
    this.#known.delete(this.#files.sharedMemory);
    this.#settled = undefined;
  }

  /** True if the last change of the folder is so long ago that the next one gets another time. */
  #isSettled({ ctimeMs, ctimeNs }: BigIntStats): boolean {
    const isFraction = ctimeNs % SECOND_NS !== 0n;
    return Number(ctimeMs) < this.#now() - (isFraction ? FINE_MS : COARSEST_MS);
  }
}

/** More than the steps in which any file system counts the times of changes. */
const COARSEST_MS = 3000;
/** The same for file systems that store fractions of a second: their steps are those of the system's clock. */
const FINE_MS = 100;
const SECOND_NS = 1_000_000_000n;

/** Programs cannot set the time of the last change. */
function isUnchanged(folder: BigIntStats, before: BigIntStats): boolean {
  return (
    folder.ctimeNs === before.ctimeNs && folder.ino === before.ino && folder.dev === before.dev
  );
}

function identify(path: string): string | null {
  const found = examine(path);
  return found ? `${found.dev}:${found.ino}` : null;
}

/** Undefined if the path does not exist or cannot be examined. */
function examine(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function replaced(path: string): BelayError {
  const message = `The file ${path} was moved, replaced or removed while it was open, so this process no longer writes. Put it back, or restart the process to use the file that is there now.`;
  return new BelayError(refuse("storage_read_only", message, { path }));
}
