import { closeSync, copyFileSync, lstatSync, mkdtempSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openIfThere } from "../../files/open-file.ts";
import type { BacklogLine } from "./backlog-file.ts";

export interface GaiaDatabase {
  readonly backlog: readonly BacklogLine[];
  /** The number of rows in its audit; null if it has no readable one. */
  readonly audit: number | null;
}

/**
 * Reads another tool's database from a copy, because opening the original would finish what a crash left unfinished, or
 * leave files next to it. Null if there is none. Throws if it cannot be read.
 */
export function readGaia(path: string): GaiaDatabase | null {
  if (!isDatabase(path)) return null;
  const folder = mkdtempSync(join(tmpdir(), "belay-gaia-"));
  try {
    const copy = join(folder, "gaia.db");
    for (const end of ["", "-wal", "-journal"]) {
      const isFile = lstatSync(path + end, { throwIfNoEntry: false })?.isFile();
      if (isFile) copyFileSync(path + end, copy + end);
    }
    const database = new DatabaseSync(copy);
    try {
      const tables = new Set(
        database
          // Only tables, because a view could contain an endless query that nothing could interrupt.
          .prepare("SELECT lower(name) AS name FROM sqlite_schema WHERE type = 'table'")
          .all()
          .map(({ name }) => String(name)),
      );
      return {
        backlog: tables.has("backlog") ? readBacklogTable(database) : [],
        audit: tables.has("audit") ? countRows(database) : null,
      };
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countRows(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS rows FROM audit").get()?.rows);
}

/** Columns are matched by name; the last row of an id wins. */
function readBacklogTable(database: DatabaseSync): BacklogLine[] {
  const lines = new Map<string, BacklogLine>();
  for (const row of database.prepare("SELECT * FROM backlog").iterate()) {
    const values = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
    const words = (name: string): string | undefined => {
      const value = values.get(name);
      return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    };
    const id = words("id");
    if (!id) continue;
    const [title, status, priority, added_at] = ["title", "status", "priority", "added_at"].map(
      words,
    );
    const est_hours = Number(values.get("est_hours") ?? Number.NaN);
    lines.set(id, {
      id,
      ...(title !== undefined && { title }),
      ...(status !== undefined && { status }),
      ...(priority !== undefined && { priority }),
      ...(Number.isFinite(est_hours) && { est_hours }),
      ...(added_at !== undefined && { added_at }),
    });
  }
  return [...lines.values()];
}

/**
 * Checked before it is copied, because it may be anything of any size. False if it is missing. Throws for another file.
 */
export function isDatabase(path: string): boolean {
  const file = openIfThere(path);
  if (file === null) return false;
  try {
    const start = Buffer.alloc(16);
    readSync(file, start, 0, 16, 0);
    if (start.toString("latin1") !== "SQLite format 3\0") throw new Error("not a database");
    return true;
  } finally {
    closeSync(file);
  }
}
