import { statSync } from "node:fs";
import { BelayError, refuse } from "../../../contract/errors.ts";
import type { DataFolder } from "./data-folder.ts";

/**
 * The files that a store writes to, by device and inode. A descriptor still works after its file
 * was moved or removed, so only checking the path shows that the written data would be lost.
 */
export class OpenFiles {
  readonly #files: DataFolder;
  readonly #known = new Map<string, string | null>();

  /** Must run before the database is opened, so that a file swapped in later is detected. */
  constructor(files: DataFolder) {
    this.#files = files;
    this.#known.set(files.database, identify(files.database));
  }

  /** Throws if a known file is no longer at its path. */
  check(): void {
    const { database, wal, sharedMemory, anchor } = this.#files;
    for (const path of [database, wal, sharedMemory, anchor]) {
      const known = this.#known.get(path) ?? null;
      const found = identify(path);
      // SQLite creates the files next to the database on demand.
      if (known === null) this.#known.set(path, found);
      else if (found !== known) throw replaced(path);
    }
  }

  /** Call for a new connection, which may have created new files next to the database. */
  reopened(): void {
    this.#known.delete(this.#files.wal);
    this.#known.delete(this.#files.sharedMemory);
  }
}

/** Null if the file does not exist or cannot be examined. */
function identify(path: string): string | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.dev}:${found.ino}` : null;
  } catch {
    return null;
  }
}

function replaced(path: string): BelayError {
  const message = `The file ${path} was moved, replaced or removed while it was open, so this process no longer writes. Put it back, or restart the process to use the file that is there now.`;
  return new BelayError(refuse("storage_read_only", message, { path }));
}
