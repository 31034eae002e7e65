import { existsSync, statfsSync, statSync } from "node:fs";
import type { Fact } from "../../store-care.ts";
import { integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import type { DataFolder } from "../database/data-folder.ts";
import { FolderDurability } from "../database/folder-durability.ts";
import { messageOf } from "../database/storage-error.ts";

/** The lines of `doctor` about this store. */
export function describeStore(db: Connection, files: DataFolder): Fact[] {
  const { folder, database, wal, anchor } = files;
  return [
    fact("data folder", () => folder),
    fact("SQLite", () => text(db, "SELECT sqlite_version() AS value")),
    fact("schema", () => text(db, "SELECT user_version AS value FROM pragma_user_version")),
    fact("journal mode", () => text(db, "SELECT journal_mode AS value FROM pragma_journal_mode")),
    describeDurability(db, folder),
    fact("page size", () => text(db, "SELECT page_size AS value FROM pragma_page_size")),
    fact("streams", () => countStreams(db)),
    fact("database size", () => sizeOf(database)),
    fact("write-ahead log", () => sizeOf(wal)),
    describeAnchor(anchor),
    describeSpace(folder),
    describeRights(folder, 0o700),
    ...[database, wal, `${database}-shm`, anchor]
      .filter((path) => existsSync(path))
      .map((path) => describeRights(path, 0o600)),
  ];
}

const LEVELS = ["OFF", "NORMAL", "FULL", "EXTRA"] as const;
const LOW_SPACE = 256 * 1024 * 1024;

function describeDurability(db: Connection, folder: string): Fact {
  return check("durability", () => {
    const row = db.get("PRAGMA synchronous") ?? {};
    const level = LEVELS[integerIn(row, "synchronous", null)] ?? "unknown";
    const choice = new FolderDurability(folder).read();
    const value = `${DURABILITY[choice]} (synchronous ${level})`;
    const isMet =
      level === "FULL" || level === "EXTRA" || (choice === "process" && level === "NORMAL");
    return isMet
      ? { value }
      : {
          value,
          fix: "this process writes less safely than the durability of the folder requires",
        };
  });
}

const DURABILITY = {
  power: "power: acknowledged changes survive a power cut",
  process:
    "process: acknowledged changes survive kill -9; a power cut can lose the most recent changes",
} as const;

function describeAnchor(anchor: string): Fact {
  return check("anchor", () => {
    if (existsSync(anchor)) return { value: sizeOf(anchor) };
    return { value: "missing", fix: "run `belay verify`" };
  });
}

function describeSpace(folder: string): Fact {
  return check("free space", () => {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    return free < LOW_SPACE
      ? { value: inMegabytes(free), fix: "free some space on this disk" }
      : { value: inMegabytes(free) };
  });
}

function describeRights(path: string, wanted: number): Fact {
  return check(`permissions of ${path}`, () => {
    const mode = statSync(path).mode & 0o777;
    const value = mode.toString(8).padStart(4, "0");
    if ((mode & ~wanted) === 0) return { value };
    return { value, fix: `other users can access it: chmod ${wanted.toString(8)} ${path}` };
  });
}

function countStreams(db: Connection): string {
  const rows = db.all("SELECT kind, count(*) AS n FROM streams GROUP BY kind");
  const counts = rows.map((row) => `${textIn(row, "kind", null)}: ${integerIn(row, "n", null)}`);
  return counts.join(", ") || "none";
}

function text(db: Connection, sql: string): string {
  return String(db.get(sql)?.value);
}

function sizeOf(path: string): string {
  return existsSync(path) ? inMegabytes(statSync(path).size) : "none";
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function fact(name: string, read: () => string): Fact {
  return check(name, () => ({ value: read() }));
}

/** If a fact cannot be read, the error is reported as the fact. */
function check(name: string, read: () => { value: string; fix?: string }): Fact {
  try {
    const { value, fix = null } = read();
    return { name, value, ok: fix === null, fix };
  } catch (error) {
    return { name, value: messageOf(error), ok: false, fix: "run `belay verify`" };
  }
}
