import { closeSync, constants, fsyncSync } from "node:fs";
import type { Durability } from "../../../contract/vocabulary.ts";
import { openFile } from "../../../files/open-file.ts";
import type { DataFolder } from "../database/data-folder.ts";
import type { FolderDurability } from "../database/folder-durability.ts";

/**
 * Runs inside a write transaction: earlier commits are synced here, and every later one uses the
 * new choice.
 */
export function changeDurability(
  folder: FolderDurability,
  { wal }: DataFolder,
  durability: Durability,
): void {
  folder.write(durability);
  if (durability !== "power") return;
  const file = openFile(wal, constants.O_RDWR);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
