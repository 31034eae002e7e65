import { lstatSync } from "node:fs";

/**
 * When a file was written last, and a text that stays the same until it is written again. What was written to a database may
 * stand in the log of changes beside it.
 */
export function markFile(path: string): { readonly text: string; readonly modified_at: number } {
  const log = path.endsWith(".db") ? lstatSync(`${path}-wal`, { throwIfNoEntry: false }) : null;
  const files = [lstatSync(path), ...(log ? [log] : [])];
  return {
    text: files.map(({ size, mtimeMs, ino }) => `${size} ${mtimeMs} ${ino}`).join(" "),
    modified_at: Math.max(...files.map(({ mtimeMs }) => mtimeMs)),
  };
}
