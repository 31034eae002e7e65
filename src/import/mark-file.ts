import { lstatSync } from "node:fs";

/**
 * The time of the last write, and a text that stays the same until the next write. Changes of a database may be in its
 * write-ahead log.
 */
export function markFile(path: string): { readonly text: string; readonly modified_at: number } {
  const log = path.endsWith(".db") ? lstatSync(`${path}-wal`, { throwIfNoEntry: false }) : null;
  const files = [lstatSync(path), ...(log ? [log] : [])];
  return {
    text: files.map(({ size, mtimeMs, ino }) => `${size} ${mtimeMs} ${ino}`).join(" "),
    modified_at: Math.max(...files.map(({ mtimeMs }) => mtimeMs)),
  };
}
