import { integerIn } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { MIGRATIONS } from "./migrations/migrations.ts";
import { damaged } from "./storage-error.ts";

/** Applies the missing migrations, each in one transaction. Two processes may do so at once. */
export function migrate(db: Connection, onCreate: () => void): void {
  while (readVersion(db) < MIGRATIONS.length) applyNext(db, onCreate);
}

function applyNext(db: Connection, onCreate: () => void): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    // Reads the version again inside the transaction, where no other process can change it.
    const version = readVersion(db);
    const migration = MIGRATIONS[version];
    if (migration !== undefined) {
      if (version === 0) {
        refuseForeign(db);
        onCreate();
      }
      if (typeof migration === "string") db.exec(migration);
      else migration(db);
      db.exec(`PRAGMA user_version = ${version + 1}`);
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
