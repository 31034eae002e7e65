import { afterAll, afterEach, describe, expect, it } from "vitest";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { Database } from "../../src/store/postgres/database/database.ts";
import { migrate } from "../../src/store/postgres/database/migrate.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { SCHEMA } from "../../src/store/postgres/schema.ts";
import { loadStream, readFeedEnd } from "../../src/store/read-streams.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());
const open = new Set<StreamStore>();
afterEach(async () => {
  for (const store of open) await store.close();
  open.clear();
});

let databases = 0;
async function createDatabase(): Promise<string> {
  databases += 1;
  await query(server.urlOf("postgres"), `CREATE DATABASE upgrade_${databases}`);
  return server.urlOf(`upgrade_${databases}`);
}

async function openStore(url: string): Promise<StreamStore> {
  const store = await openPostgresStore({ url, isAlive: () => true });
  open.add(store);
  return store;
}

const LATER = {
  ...SCHEMA,
  migrations: [
    { sql: "ALTER TABLE belay.streams ADD COLUMN added text", isRequired: false },
    {
      sql: "CREATE TABLE belay.allowed AS SELECT current_setting('statement_timeout') AS most",
      isRequired: false,
    },
  ],
};

const A = idOf(1);

describe("tables", () => {
  it("of the version before are migrated by nodes that start at the same moment, for as long as it takes", async () => {
    const url = await createDatabase();
    await keep(await openStore(url), begin(A));
    const databases = [1, 2].map(() => new Database({ url, busyMs: 10_000, readers: 1 }));
    await Promise.all(databases.map((database) => migrate(database, false, LATER)));
    for (const database of databases) await database.close();
    const { rows } = await query(url, "SELECT version, required FROM belay.meta");
    expect(rows).toEqual([{ version: SCHEMA.version + 2, required: SCHEMA.version }]);
    expect((await query(url, "SELECT most FROM belay.allowed")).rows).toEqual([{ most: "1h" }]);
    expect((await loadStream(await openStore(url), { id: A }))?.seq).toBe(1);
  });

  it("of a version before the first release are refused, and stay as they are", async () => {
    const url = await createDatabase();
    await openStore(url);
    await query(url, "UPDATE belay.meta SET version = 8, required = 2");
    await expect(openStore(url)).rejects.toMatchObject({
      code: "storage_unsupported",
      message: expect.stringContaining("belay migrate --to sqlite:DIR"),
    });
    const { rows } = await query(url, "SELECT version, required FROM belay.meta");
    expect(rows).toEqual([{ version: 8, required: 2 }]);
  });

  it("of a newer version work with this one, also after a restart, until they require a newer one", async () => {
    const url = await createDatabase();
    const running = await openStore(url);
    const start = await readFeedEnd(running);
    await keep(running, begin(A));
    await query(
      url,
      `ALTER TABLE belay.streams ADD COLUMN later text;
       ALTER TABLE belay.events ADD COLUMN later integer NOT NULL DEFAULT 7;
       CREATE TABLE belay.more (id text);
       UPDATE belay.meta SET version = 99`,
    );
    const restarted = await openStore(url);
    for (const [n, store] of [running, restarted].entries()) {
      expect((await store.transact(write(A, { lines: [`after ${n}`] }))).kind).toBe("committed");
      await keep(store, begin(idOf(n + 10)));
      expect((await loadStream(store, { id: A }))?.seq).toBe(n + 2);
      const holder = { name: `${n}`, pid: 1, start_time: null, boot_id: null };
      const grant = await acquireLease(store, A, holder, true);
      expect(grant).toMatchObject({ granted: true });
      expect((await store.readFeed({ after: start, limit: 50 })).events).toHaveLength(2 * n + 3);
    }
    const { rows } = await query(url, "SELECT version FROM belay.meta");
    expect(rows).toEqual([{ version: 99 }]);

    await query(url, "UPDATE belay.meta SET required = 99");
    await expect(openStore(url)).rejects.toMatchObject({
      code: "storage_newer",
      message: expect.stringContaining("schema version 99"),
    });
    // The tables are as they were.
    expect((await query(url, "SELECT version FROM belay.meta")).rows).toEqual([{ version: 99 }]);
  });
});
