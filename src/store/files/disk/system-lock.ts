import { chmodSync, existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { lockFailed, readOnly } from "./files-error.ts";
import type { WriteLock } from "./write-lock.ts";

/**
 * A lock that the system releases when its holder dies and never before, however long the holder is stopped: an
 * exclusive transaction on an empty SQLite file. No code may open that file in any other way: when a process closes a
 * descriptor of a file, the system drops all its locks on this file. SQLite keeps to that for its own connections.
 */
export class SystemLock implements WriteLock {
  readonly #path: string;
  #database: DatabaseSync | undefined;
  #inode = 0;

  constructor(path: string) {
    this.#path = path;
  }

  acquire(): boolean {
    try {
      this.#database ??= this.#open();
      this.#database.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      const code = sqliteCode(error);
      if (code === BUSY) return false;
      this.close();
      throw code === READ_ONLY ? readOnly() : lockFailed(this.#path, error);
    }
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino === this.#inode) return true;
    // The file was removed or replaced, so others may lock another one.
    this.close();
    return false;
  }

  release(): void {
    if (this.#database?.isTransaction) this.#database.exec("ROLLBACK");
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): DatabaseSync {
    const isNew = !existsSync(this.#path);
    const database = new DatabaseSync(this.#path, { timeout: 0 });
    if (isNew) chmodSync(this.#path, 0o600);
    this.#inode = statSync(this.#path).ino;
    // A transaction writes nothing, so it needs no journal file.
    database.exec("PRAGMA journal_mode = MEMORY");
    return database;
  }
}

const BUSY = 5;
const READ_ONLY = 8;

function sqliteCode(error: unknown): unknown {
  return error instanceof Error && "errcode" in error ? error.errcode : undefined;
}
