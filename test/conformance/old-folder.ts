import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** One data folder for each schema before the newest, frozen as text. */
export const OLD_SCHEMAS = [
  "schema-1",
  "schema-2",
  "schema-3",
  "schema-4",
  "schema-5",
  "schema-6",
  "schema-7",
] as const;
export type OldSchema = (typeof OLD_SCHEMAS)[number];

/** Creates a data folder of an earlier schema, in an existing empty folder. */
export function writeOldFolder(home: string, schema: OldSchema, damage = ""): void {
  const frozen = join(import.meta.dirname, schema);
  const database = new DatabaseSync(join(home, "belay.db"));
  database.exec("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL");
  database.exec(readFileSync(join(frozen, "belay.sql"), "utf8"));
  database.exec(damage);
  database.close();
  copyFileSync(join(frozen, "anchor.log"), join(home, "anchor.log"));
}
