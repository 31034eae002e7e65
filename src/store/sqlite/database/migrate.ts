import { SCHEMA, type Schema } from "../schema.ts";
import { integerIn } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { damaged } from "./storage-error.ts";

/**
 * Creates the tables of an empty database, or applies the missing migrations, each in one transaction. Two processes may do
 * so at once.
 */
export function migrate(db: Connection, onCreate: () => void, schema: Schema = SCHEMA): void {
  const newest = schema.version + schema.migrations.length;
  while (readVersion(db) < newest) applyNext(db, onCreate, schema);
}

function applyNext(
  db: Connection,
  onCreate: () => void,
  { version, sql, migrations }: Schema,
): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    // Reads the version again inside the transaction, where no other process can change it.
    const found = readVersion(db);
    if (found === 0) {
      refuseForeign(db);
      onCreate();
      db.exec(`${sql}; PRAGMA user_version = ${version}`);
    } else {
      migrations[found - version]?.(db);
      db.exec(`PRAGMA user_version = ${Math.min(found + 1, version + migrations.length)}`);
    }
    db.exec("COMMIT");
  } catch (error) {
    db.rollback();
    throw error;
  }
}

function readVersion(db: Connection): number {
  return integerIn(db.get("PRAGMA user_version") ?? {}, "user_version", null);
}

function refuseForeign(db: Connection): void {
  const tables = integerIn(db.get("SELECT count(*) AS n FROM sqlite_schema") ?? {}, "n", null);
  if (tables > 0) throw damaged(null, "belay.db contains tables that Belay did not create");
}
