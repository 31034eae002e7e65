import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import type { ContentLimits } from "../../src/store/append-rules.ts";
import type { StoreSettings } from "../../src/store/conformance/suite.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import type { PostgresServer } from "./postgres-server.ts";

/** The file with a folder's database address, for other processes. */
const ADDRESS = "database-url";

interface SceneDatabase {
  readonly name: string;
  folder: string;
  handles: number;
}

/**
 * A database for each folder of the suite. It is emptied and reused when its folder is gone, because creating one takes
 * longer.
 */
export class SceneDatabases {
  readonly #server: PostgresServer;
  readonly #databases: SceneDatabase[] = [];

  /** The database that new ones are copied from. */
  readonly #template: string;

  constructor(server: PostgresServer, template = "template1") {
    this.#server = server;
    this.#template = template;
  }

  async open({
    folder,
    now,
    ...place
  }: StoreSettings & { readonly limits?: ContentLimits }): Promise<StreamStore> {
    const database = this.#find(folder) ?? (await this.#take(folder));
    const store = await openPostgresStore({ url: this.#server.urlOf(database.name), ...place });
    database.handles += 1;
    return {
      ...store,
      close: async () => {
        await store.close();
        database.handles -= 1;
      },
    };
  }

  urlOf(folder: string): string {
    return readAddress(folder);
  }

  #find(folder: string): SceneDatabase | undefined {
    return this.#databases.find((database) => database.folder === folder);
  }

  async #take(folder: string): Promise<SceneDatabase> {
    const free = this.#databases.find((each) => each.handles === 0 && !existsSync(each.folder));
    const database = free ?? {
      name: `scene_of_${this.#template}_${this.#databases.length}`,
      folder,
      handles: 0,
    };
    database.folder = folder;
    if (free) await this.#empty(free.name);
    else {
      this.#databases.push(database);
      await query(
        this.#server.urlOf("postgres"),
        `CREATE DATABASE ${database.name} TEMPLATE ${this.#template}`,
      );
    }
    writeFileSync(join(folder, ADDRESS), this.#server.urlOf(database.name));
    return database;
  }

  async #empty(name: string): Promise<void> {
    await query(this.#server.urlOf(name), EMPTY);
  }
}

export function readAddress(folder: string): string {
  return readFileSync(join(folder, ADDRESS), "utf8");
}

/** Deleting from small tables is faster than truncating them. Connections of a killed process are closed first. */
const EMPTY = `DO $$ DECLARE t text; BEGIN
  PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'belay' AND tablename <> 'meta' LOOP
    EXECUTE 'DELETE FROM belay.' || quote_ident(t);
  END LOOP;
END $$`;

export async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}
