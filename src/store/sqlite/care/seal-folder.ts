import { closeSync, constants, existsSync, fsyncSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { openFile } from "../../../files/open-file.ts";
import { syncFolder } from "../../../files/sync-folder.ts";
import { SEALED_LIMITS } from "../../append-rules.ts";
import type { ContentSealer, SealedWriter } from "../../content-sealer.ts";
import type { StreamStore } from "../../stream-store.ts";
import { Connection } from "../database/connection.ts";
import { type DataFolder, dataFolder } from "../database/data-folder.ts";
import { openDatabase } from "../database/open-database.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { copySealed, listWriters, reserveNumbers } from "./copy-sealed.ts";

/** Creates the key ring in the new store, and a key for each writer. */
type PrepareSealer = (
  store: StreamStore,
  writers: readonly SealedWriter[],
) => Promise<ContentSealer>;

/**
 * Puts an encrypted copy in the place of the database of a folder. The original stays as it is until the copy is
 * complete; a process that is killed before must start again. No other process may use the folder meanwhile.
 */
export async function sealFolder(folder: string, prepare: PrepareSealer): Promise<void> {
  const files = dataFolder(folder);
  const partial = join(folder, PARTIAL);
  rmSync(partial, { recursive: true, force: true });
  const from = new Connection(() => openAlone(files));
  try {
    await writeCopy(from, partial, prepare);
    const copy = dataFolder(partial);
    // The anchor goes first: with the old database, a later call still finds everything and starts anew.
    renameSync(copy.anchor, files.anchor);
    renameSync(copy.database, files.database);
    syncFolder(folder);
  } finally {
    from.close();
  }
  rmSync(partial, { recursive: true, force: true });
}

const PARTIAL = "belay.db-sealed";

async function writeCopy(from: Connection, folder: string, prepare: PrepareSealer): Promise<void> {
  const open = () =>
    openSqliteStore({
      folder,
      isAlive: () => true,
      limits: SEALED_LIMITS,
      synchronous: "NORMAL",
    });
  await (await open()).close();
  const copy = dataFolder(folder);
  const to = new Connection(() => openDatabase(copy, { readOnly: false, synchronous: "NORMAL" }));
  try {
    reserveNumbers(from, to);
    const store = await open();
    try {
      const sealer = await prepare(store, listWriters(from));
      copySealed(from, to, sealer);
      await store.reanchor();
    } finally {
      await store.close();
    }
  } finally {
    to.close();
  }
  settle(copy);
}

/** Nobody else has the database open, or can open it until this connection is closed. */
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

/** Everything stands in the database itself, and on disk. */
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
