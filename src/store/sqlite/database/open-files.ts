import { statSync } from "node:fs";
import { BelayError, refuse } from "../../../contract/errors.ts";
import type { DataFolder } from "./data-folder.ts";

/**
 * The files that a store writes to, by device and inode. A file keeps its descriptor after it was moved or removed, so
 * only a look at its path shows that nobody else would ever find what is written to it.
 */
export class OpenFiles {
  readonly #files: DataFolder;
  readonly #known = new Map<string, string | null>();

  /** Before the database is opened, so that another one in its place is never taken for it. */
  constructor(files: DataFolder) {
    this.#files = files;
    this.#known.set(files.database, identify(files.database));
  }

  /** Throws where a file that was there before is no longer found at its path. */
  check(): void {
    const { database, wal, sharedMemory, anchor } = this.#files;
    for (const path of [database, wal, sharedMemory, anchor]) {
      const known = this.#known.get(path) ?? null;
      const found = identify(path);
      // SQLite makes the files beside the database when it needs them.
      if (known === null) this.#known.set(path, found);
      else if (found !== known) throw replaced(path);
    }
  }

  /** For a new connection, which may have made its own files beside the database. */
  reopened(): void {
    this.#known.delete(this.#files.wal);
    this.#known.delete(this.#files.sharedMemory);
  }
}

/** Null where there is nothing, or nothing that can be looked at. */
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
