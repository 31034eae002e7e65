import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Connection } from "../../../src/store/sqlite/database/connection.ts";
import { migrate } from "../../../src/store/sqlite/database/migrate.ts";
import { LATER } from "../later-schema.ts";

/** Migrates a data folder to a later schema. The control "careless" does so without transactions. */
const [, , home = "", mode = "honest"] = process.argv;
const db = new Connection(() => new DatabaseSync(join(home, "belay.db")));
if (mode === "careless") {
  const from = Number(db.get("PRAGMA user_version")?.user_version) - LATER.version;
  for (const migration of LATER.migrations.slice(from)) migration(db);
  db.exec(`PRAGMA user_version = ${LATER.version + LATER.migrations.length}`);
} else {
  migrate(db, () => {}, LATER);
}
db.close();
