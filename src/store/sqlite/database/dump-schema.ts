import { DatabaseSync } from "node:sqlite";
import { textIn } from "./columns.ts";
import { dataFolder } from "./data-folder.ts";

/** The tables of a store in the form of `schema.sql`. */
export function dumpSchema(folder: string): string {
  const database = new DatabaseSync(dataFolder(folder).database, { readOnly: true });
  try {
    const rows = database.prepare(SCHEMA).all();
    return rows.map((row) => `${textIn(row, "sql", null)};\n`).join("\n");
  } finally {
    database.close();
  }
}

const SCHEMA = `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
  ORDER BY tbl_name, CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, name`;
