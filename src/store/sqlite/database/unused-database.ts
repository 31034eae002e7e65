import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import type { DataFolder } from "./data-folder.ts";

/**
 * Identifies the database if no process has it open; null otherwise. SQLite has a write-ahead log beside a database as
 * long as a process has it open, and the last one removes it.
 */
export function findUnused(files: DataFolder): string | null {
  return existsSync(files.wal) ? null : identifyDatabase(files);
}

/** Differs for another version, for another file in the same place, and for one that is not a database. */
export function identifyDatabase({ database }: DataFolder): string {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(database, "r");
  try {
    readSync(file, header);
    const { ino, birthtimeMs } = fstatSync(file);
    const start = header.subarray(0, MAGIC_BYTES).toString("latin1");
    return `${start} ${header.readUInt32BE(VERSION_AT)} ${ino} ${birthtimeMs}`;
  } finally {
    closeSync(file);
  }
}

/** https://www.sqlite.org/fileformat.html#the_database_header */
const HEADER_BYTES = 100;
const MAGIC_BYTES = 15;
const VERSION_AT = 60;
