import { closeSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../files/file-refusal.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { createFile } from "../../files/open-file.ts";

/** Where a store lives. */
export interface DataFolder {
  readonly folder: string;
  readonly database: string;
  readonly wal: string;
  readonly anchor: string;
}

export function dataFolder(folder: string): DataFolder {
  const database = join(folder, "belay.db");
  return { folder, database, wal: `${database}-wal`, anchor: join(folder, "anchor.log") };
}

/** Makes what is missing, for its owner's eyes only. SQLite gives its other files the rights of the first. */
export function prepareFolder({ folder, database }: DataFolder): void {
  makeFolder(folder);
  try {
    closeSync(createFile(database));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
