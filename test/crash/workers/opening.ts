import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../../../src/store/sqlite/database/migrations/migrations.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";

/** Opens a data folder, which migrates it, and closes it. The control "careless" does so without transactions. */
const [, , home = "", mode = "honest"] = process.argv;
if (mode === "careless") {
  const database = new DatabaseSync(join(home, "belay.db"));
  const { user_version } = database.prepare("PRAGMA user_version").get() ?? {};
  for (const migration of MIGRATIONS.slice(Number(user_version))) {
    if (typeof migration === "string") database.exec(migration);
  }
  database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  database.close();
} else {
  const store = await openSqliteStore({ folder: home, isAlive: () => false });
  await store.close();
}
