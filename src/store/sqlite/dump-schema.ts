import { DatabaseSync } from "node:sqlite";
import { textIn } from "./columns.ts";
import { dataFolder } from "./data-folder.ts";

/** The tables of a store as `schema.sql` shows them. */
export function dumpSchema(folder: string): string {
  const database = new DatabaseSync(dataFolder(folder).database, { readOnly: true });
  try {
    const rows = database
      .prepare(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name",
      )
      .all();
    return rows.map((row) => `${textIn(row, "sql", null)};\n`).join("\n");
  } finally {
    database.close();
  }
}
