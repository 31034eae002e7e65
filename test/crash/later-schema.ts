import type { Connection } from "../../src/store/sqlite/database/connection.ts";
import { SCHEMA } from "../../src/store/sqlite/schema.ts";

/** The schema of a later version, as it may look: a new column with values, a table that is written again, an index. */
export const LATER = {
  ...SCHEMA,
  migrations: [
    (db: Connection): void => {
      db.exec("ALTER TABLE events ADD COLUMN later TEXT");
      db.exec("UPDATE events SET later = hex(hash)");
    },
    (db: Connection): void => {
      db.exec(
        `CREATE TABLE names_again (owner TEXT NOT NULL, name TEXT NOT NULL, sid INTEGER NOT NULL) STRICT;
        INSERT INTO names_again SELECT owner, name, sid FROM names;
        DROP TABLE names;
        ALTER TABLE names_again RENAME TO names`,
      );
    },
    (db: Connection): void => db.exec("CREATE INDEX events_by_later ON events (later)"),
  ],
};
