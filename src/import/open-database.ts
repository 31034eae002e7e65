import { constants, lstatSync, rmSync } from "node:fs";
import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

/** A database of another tool. Closing it removes the copy. */
export interface ForeignDatabase {
  readonly path: string;
  readonly database: DatabaseSync;
  close(): void;
}

/** Files next to a database that contain changes not in it yet. */
const LOGS = ["-wal", "-journal"] as const;
/** A larger database is opened in place, because copying it takes too long. */
const MOST_COPIED = 1024 * 1024 * 1024;

/**
 * Opens a database without changing or creating any file: in place if there is no log next to it, otherwise as a copy.
 */
export async function openDatabase(
  path: string,
  tables: readonly string[],
): Promise<ForeignDatabase> {
  const opened = await openUntouched(path);
  try {
    expectTables(opened.database, tables);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function openUntouched(path: string): Promise<ForeignDatabase> {
  const logs = LOGS.map((suffix) => `${path}${suffix}`).filter((log) => sizeOf(log) > 0);
  const size = [path, ...logs].reduce((sum, file) => sum + sizeOf(file), 0);
  if (logs.length > 0 && size <= MOST_COPIED) return openCopy(path, logs);
  const url = pathToFileURL(path);
  if (logs.length === 0) url.searchParams.set("immutable", "1");
  const database = new DatabaseSync(url, { readOnly: true });
  return { path, database, close: () => database.close() };
}

async function openCopy(path: string, logs: readonly string[]): Promise<ForeignDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "belay-import-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, "copy.db");
    const files = [path, ...logs];
    // Its writer may move changes from the log into the database meanwhile.
    for (let tries = 0, before = ""; tries < 3 && marksOf(files) !== before; tries += 1) {
      before = marksOf(files);
      for (const file of files) {
        await copyFile(file, `${copy}${file.slice(path.length)}`, constants.COPYFILE_FICLONE);
      }
    }
    const database = new DatabaseSync(copy);
    const close = () => {
      database.close();
      remove();
    };
    return { path, database, close };
  } catch (error) {
    remove();
    throw error;
  }
}

/** A link next to a database is not followed and counts as missing. */
function sizeOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
}

function marksOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const { size, mtimeMs, ino } = lstatSync(file);
      return `${size} ${mtimeMs} ${ino}`;
    })
    .join(" ");
}

/** The author of the file may have replaced a table by an endless query, which nothing could interrupt. */
function expectTables(database: DatabaseSync, tables: readonly string[]): void {
  for (const table of tables) {
    const found = database
      .prepare("SELECT type, sql FROM sqlite_schema WHERE lower(name) = ?")
      .all(table);
    const isTable = found.some(
      ({ type, sql }) => type === "table" && /^CREATE TABLE/i.test(String(sql)),
    );
    if (found.length === 1 && isTable) continue;
    throw new Error(`not a database of this tool: it has no table "${table}"`);
  }
}
