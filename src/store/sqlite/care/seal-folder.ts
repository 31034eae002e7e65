import { closeSync, constants, existsSync, fsyncSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { openFile } from "../../../files/open-file.ts";
import { readFile } from "../../../files/read-file.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import { SEALED_LIMITS } from "../../append-rules.ts";
import type { PrepareSealer } from "../../content-sealer.ts";
import { Connection } from "../database/connection.ts";
import { type DataFolder, dataFolder } from "../database/data-folder.ts";
import { openDatabase } from "../database/open-database.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { copySealed, listWriters, reserveNumbers, stampOf } from "./copy-sealed.ts";

/**
 * Puts an encrypted copy in the place of the database of a folder. The original stays as it is until the copy is
 * complete. After an interruption the next call continues where this one stopped, unless the data or the master key has
 * changed since. No other process may use the folder meanwhile. The caller removes `partialCopy` at last.
 */
export async function sealFolder(
  folder: string,
  master: string,
  prepare: PrepareSealer,
): Promise<void> {
  const files = dataFolder(folder);
  const partial = partialCopy(folder);
  const from = new Connection(() => openAlone(files));
  try {
    const source = `${stampOf(from)} ${master}\n`;
    const isBegun = readFile(join(partial, SOURCE))?.toString("utf8") === source;
    if (!isBegun) {
      rmSync(partial, { recursive: true, force: true });
      await writeEmpty(from, partial);
      replaceFile(join(partial, SOURCE), source);
    }
    await writeCopy(from, partial, prepare);
    const copy = dataFolder(partial);
    // The anchor is replaced first: with the old database, a later call still finds everything and starts again.
    renameSync(copy.anchor, files.anchor);
    renameSync(copy.database, files.database);
    syncFolder(folder);
  } finally {
    from.close();
  }
}

/** The folder of a copy that is not complete, or was put in place a moment ago. */
export function partialCopy(folder: string): string {
  return join(folder, "belay.db-sealed");
}

/** The file in the copy that identifies its source. */
const SOURCE = "copy-of";

async function writeEmpty(from: Connection, folder: string): Promise<void> {
  await (await openCopy(folder)).close();
  const to = connectTo(folder);
  try {
    reserveNumbers(from, to);
  } finally {
    to.close();
  }
}

async function writeCopy(from: Connection, folder: string, prepare: PrepareSealer): Promise<void> {
  const store = await openCopy(folder);
  try {
    const sealer = await prepare(store, listWriters(from));
    const to = connectTo(folder);
    try {
      copySealed(from, to, sealer);
    } finally {
      to.close();
    }
    await store.reanchor();
  } finally {
    await store.close();
  }
  settle(dataFolder(folder));
}

function openCopy(folder: string) {
  return openSqliteStore({
    folder,
    isAlive: () => true,
    limits: SEALED_LIMITS,
    synchronous: "NORMAL",
  });
}

function connectTo(folder: string): Connection {
  const files = dataFolder(folder);
  return new Connection(() => openDatabase(files, { readOnly: false, synchronous: "NORMAL" }));
}

/** No other process has the database open, or can open it until this connection is closed. */
function openAlone(files: DataFolder): DatabaseSync {
  const database = new DatabaseSync(files.database, { timeout: 0 });
  try {
    // Only possible while no other connection is open; it also empties the write-ahead log.
    database.exec("PRAGMA journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    database.close();
    const message =
      "Another process is using the data. Stop the server and other Belay processes, then run: belay encrypt enable";
    throw new BelayError(refuse("store_busy", message), cause);
  }
}

/** Everything is in the database file itself, and on disk. */
function settle({ database, anchor, wal }: DataFolder): void {
  const last = new DatabaseSync(database);
  last.exec("PRAGMA journal_mode = DELETE");
  last.close();
  if (existsSync(wal)) throw new Error(`${wal} was not emptied`);
  for (const path of [database, anchor]) {
    const file = openFile(path, constants.O_RDWR);
    fsyncSync(file);
    closeSync(file);
  }
}
