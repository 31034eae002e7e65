import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The size of every file below a folder, as `ls -l` shows it. */
export function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
