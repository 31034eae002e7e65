import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { BelayError, type Refusal, refuse } from "../../../contract/errors.ts";
import { isWritable } from "../../../files/is-writable.ts";
import { SCHEMA } from "../schema.ts";
import { integerIn, textIn } from "./columns.ts";
import { type DataFolder, dataFolder } from "./data-folder.ts";
import { isWithoutSharedMemory } from "./storage-error.ts";

export type Synchronous = "FULL" | "NORMAL" | "OFF";

interface OpenMode {
  readonly readOnly: boolean;
  /** With `readOnly`: SQLite may remove its own files at the end, as the last writer does. */
  readonly tidy?: boolean;
  readonly synchronous: Synchronous;
}

/**
 * Opens and configures the database file, without its tables. It writes nothing to a database of a
 * newer version.
 */
export function openDatabase(files: DataFolder, mode: OpenMode): DatabaseSync {
  try {
    return openShared(files, mode, files.database, "NORMAL");
  } catch (error) {
    if (!isWithoutSharedMemory(error)) throw error;
    return openAlone(files, mode, error);
  }
}

/**
 * If the shared-memory file cannot be created, on a full disk or in a foreign folder, one process
 * can work alone: it locks out all others or, if it cannot write at all, assumes that nobody
 * writes.
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

/**
 * SQLite cannot read a write-ahead log without shared memory, so it reads a copy of both files. The
 * copies are unlinked at once.
 */
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
  const message = `The data folder ${folder} cannot be written to. It can only be read. Check its permissions, or set BELAY_HOME to another folder.`;
  return refuse("storage_read_only", message, { folder });
}

function openShared(
  files: DataFolder,
  mode: OpenMode,
  location: string | URL,
  locking: "NORMAL" | "EXCLUSIVE",
): DatabaseSync {
  const database = new DatabaseSync(location, {
    readOnly: mode.readOnly && !mode.tidy,
    enableForeignKeyConstraints: false,
    timeout: 0,
  });
  try {
    // Set first, because all other statements access the file.
    database.exec(`PRAGMA locking_mode = ${locking}`);
    refuseOldSqlite(database);
    refuseOther(database, files);
    if (mode.readOnly) refuseUnfinished(database);
    configure(database, mode);
    return database;
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
}

/** True for a connection that locks out all others. */
export function isAlone(database: DatabaseSync): boolean {
  return textIn(pragma(database, "locking_mode"), "locking_mode", null) === "exclusive";
}

function versionOf(database: DatabaseSync): number {
  return integerIn(pragma(database, "user_version"), "user_version", null);
}

const MIN_SQLITE = [3, 51, 3] as const;

const PAGE_SIZE = 16_384;

/**
 * 1,000 pages are 16 MB. Appends cost the same from 100 to 4,000 pages; a longer log only takes
 * longer to recover.
 */
const CHECKPOINT_PAGES = 1000;

/** The write-ahead log shrinks to this size after a long reader let it grow. */
const WAL_BYTES = 2 * CHECKPOINT_PAGES * PAGE_SIZE;

const CACHE_KIB = 16_384;

function configure(database: DatabaseSync, { readOnly, synchronous }: OpenMode): void {
  database.exec(`
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA cell_size_check = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
  `);
  if (readOnly) {
    database.exec("PRAGMA query_only = ON");
    return;
  }
  if (textIn(pragma(database, "journal_mode"), "journal_mode", null) !== "wal") {
    // The first write fixes the page size, and the change of the journal mode is that write.
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL;`);
  }
  database.exec(`
    PRAGMA synchronous = ${synchronous};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${WAL_BYTES};
  `);
}

/** Before this version, a checkpoint could lose a recent commit of another process. */
function refuseOldSqlite(database: DatabaseSync): void {
  const row = database.prepare("SELECT sqlite_version() AS version").get() ?? {};
  const version = textIn(row, "version", null);
  const parts = version.split(".").map(Number);
  for (const [index, least] of MIN_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part > least) return;
    if (part === least) continue;
    const message = `SQLite ${version} can lose committed writes. Use a version of Node.js with SQLite ${MIN_SQLITE.join(".")} or newer.`;
    throw new BelayError(refuse("storage_unsupported", message, { version }));
  }
}

function refuseOther(database: DatabaseSync, files: DataFolder): void {
  const version = versionOf(database);
  const known = SCHEMA.version + SCHEMA.migrations.length;
  if (version === 0 || (version >= SCHEMA.version && version <= known)) return;
  closeUntouched(database, files);
  if (version < known)
    throw new BelayError(refuse("storage_unsupported", tooOld(version), { version, known }));
  const message = `This database was written by a newer Belay (schema ${version}; this one knows ${known}). Update Belay to open it.`;
  throw new BelayError(refuse("storage_newer", message, { version, known }));
}

function refuseUnfinished(database: DatabaseSync): void {
  const version = versionOf(database);
  const known = SCHEMA.version + SCHEMA.migrations.length;
  if (version === known) return;
  const message = `This database has schema ${version} and must be migrated to ${known} first. Open it once for writing.`;
  throw new BelayError(refuse("storage_read_only", message, { version }));
}

function tooOld(version: number): string {
  return `This database has schema ${version}, from before the first release; this Belay knows schema ${SCHEMA.version}. Open it once with Belay at commit ${LAST}, which migrates it.`;
}

/** The last commit that knew older schemas. */
const LAST = "ef76eac4";

/**
 * The last connection to close would move the write-ahead log into the file, unless it is
 * read-only.
 */
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
