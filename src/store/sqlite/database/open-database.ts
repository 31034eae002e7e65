import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { BelayError, type Refusal, refuse } from "../../../contract/errors.ts";
import { integerIn, textIn } from "./columns.ts";
import { type DataFolder, dataFolder } from "./data-folder.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { isWithoutSharedMemory } from "./storage-error.ts";

export type Synchronous = "FULL" | "NORMAL" | "OFF";

interface OpenMode {
  readonly readOnly: boolean;
  readonly synchronous: Synchronous;
}

/** Opens the file and sets it up, but for its tables. Writes nothing to a database of a newer Belay. */
export function openDatabase(files: DataFolder, mode: OpenMode): DatabaseSync {
  try {
    return openShared(files, mode, files.database, "NORMAL");
  } catch (error) {
    if (!isWithoutSharedMemory(error)) throw error;
    return openAlone(files, mode, error);
  }
}

/**
 * Where the memory that processes share cannot be made, on a full disk or in a folder that is not ours, one process can
 * still do without: by locking all others out, or, if it may not even do that, by trusting that nobody writes.
 */
function openAlone(files: DataFolder, mode: OpenMode, error: unknown): DatabaseSync {
  if (!mode.readOnly && isWritable(files.folder)) {
    return openShared(files, mode, files.database, "EXCLUSIVE");
  }
  if (mode.readOnly && sizeOf(files.wal) === 0) {
    const url = pathToFileURL(files.database);
    url.searchParams.set("immutable", "1");
    return openShared(files, mode, url, "NORMAL");
  }
  if (isWritable(files.folder)) throw error;
  if (mode.readOnly) return openCopy(files, mode);
  throw new BelayError(cannotWrite(files), error);
}

/** SQLite cannot read a log of writes without memory to share, so it reads a copy of both. Its files are unlinked at once. */
function openCopy(files: DataFolder, mode: OpenMode): DatabaseSync {
  const copy = dataFolder(mkdtempSync(join(tmpdir(), "belay-read-")));
  try {
    copyFileSync(files.database, copy.database);
    copyFileSync(files.wal, copy.wal);
    for (const path of [copy.database, copy.wal]) chmodSync(path, 0o600);
    return openShared(copy, mode, copy.database, "NORMAL");
  } finally {
    rmSync(copy.folder, { recursive: true });
  }
}

export function cannotWrite({ folder }: DataFolder): Refusal {
  const message = `The data folder ${folder} cannot be written to. It can only be read. Check its rights, or set BELAY_HOME to another folder.`;
  return refuse("storage_read_only", message, { folder });
}

function openShared(
  files: DataFolder,
  mode: OpenMode,
  location: string | URL,
  locking: "NORMAL" | "EXCLUSIVE",
): DatabaseSync {
  const database = new DatabaseSync(location, {
    readOnly: mode.readOnly,
    enableForeignKeyConstraints: false,
    timeout: 0,
  });
  try {
    // First, because everything else looks at the file.
    database.exec(`PRAGMA locking_mode = ${locking}`);
    refuseOldSqlite(database);
    refuseNewer(database, files);
    if (mode.readOnly) refuseOlder(database);
    configure(database, mode);
    return database;
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
}

/** True of a connection that locks all others out. */
export function isAlone(database: DatabaseSync): boolean {
  return textIn(pragma(database, "locking_mode"), "locking_mode", null) === "exclusive";
}

function versionOf(database: DatabaseSync): number {
  return integerIn(pragma(database, "user_version"), "user_version", null);
}

const MIN_SQLITE = [3, 51, 3] as const;

const PAGE_SIZE = 16_384;

/** Pages, so 16 MB. Measured from 100 to 4,000, appends cost the same; a longer log only takes longer to recover. */
const CHECKPOINT_PAGES = 1000;

/** After a long reader has let it grow, the log of writes shrinks to this. */
const WAL_BYTES = 2 * CHECKPOINT_PAGES * PAGE_SIZE;

const CACHE_KIB = 16_384;

function configure(database: DatabaseSync, { readOnly, synchronous }: OpenMode): void {
  database.exec(`
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA cell_size_check = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
  `);
  if (readOnly) return;
  if (textIn(pragma(database, "journal_mode"), "journal_mode", null) !== "wal") {
    // The size of a page is settled by the first write, which is the change of journal mode.
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL;`);
  }
  database.exec(`
    PRAGMA synchronous = ${synchronous};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${WAL_BYTES};
  `);
}

/** Before this version, a checkpoint could lose what another process had just committed. */
function refuseOldSqlite(database: DatabaseSync): void {
  const row = database.prepare("SELECT sqlite_version() AS version").get() ?? {};
  const version = textIn(row, "version", null);
  const parts = version.split(".").map(Number);
  for (const [index, least] of MIN_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part === least) continue;
    const message = `SQLite ${version} can lose committed writes. Use a Node.js that brings ${MIN_SQLITE.join(".")} or newer.`;
    throw new BelayError(refuse("storage_unsupported", message, { version }));
  }
}

function refuseNewer(database: DatabaseSync, files: DataFolder): void {
  const version = versionOf(database);
  const known = MIGRATIONS.length;
  if (version <= known) return;
  closeUntouched(database, files);
  const message = `This database was written by a newer Belay (schema ${version}; this one knows ${known}). Update Belay to open it.`;
  throw new BelayError(refuse("storage_newer", message, { version, known }));
}

function refuseOlder(database: DatabaseSync): void {
  const version = versionOf(database);
  if (version === MIGRATIONS.length) return;
  const message = `This database has schema ${version} and must be migrated to ${MIGRATIONS.length} first. Open it once for writing.`;
  throw new BelayError(refuse("storage_read_only", message, { version }));
}

/** The last connection to leave would move the write-ahead log into the file, unless that last one can only read. */
function closeUntouched(database: DatabaseSync, { database: path, wal }: DataFolder): void {
  if (sizeOf(wal) === 0) {
    database.close();
    return;
  }
  const reader = new DatabaseSync(path, { readOnly: true });
  versionOf(reader);
  database.close();
  reader.close();
}

function pragma(database: DatabaseSync, name: string) {
  return database.prepare(`PRAGMA ${name}`).get() ?? {};
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
