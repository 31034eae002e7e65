import { readFileSync } from "node:fs";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { migrations } from "../../src/store/postgres/database/migrations/migrations.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { loadStream, readFeedEnd } from "../../src/store/read-streams.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { dumpSchema } from "./dump-schema.ts";
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

/** The tables of the version before. */
async function createEarlierTables(url: string): Promise<void> {
  const before = migrations.slice(0, -1);
  await query(url, `CREATE SCHEMA belay; ${before.map(({ sql }) => sql).join("\n")}`);
  await query(
    url,
    `INSERT INTO belay.meta (version, era, cluster, timeline) SELECT ${before.length}, 1,
      s.system_identifier::text, c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c`,
  );
}

const A = idOf(1);

describe("tables", () => {
  it("of the version before are migrated by nodes that start at the same moment", async () => {
    const url = await createDatabase();
    await createEarlierTables(url);
    const stores = await Promise.all([openStore(url), openStore(url)]);
    for (const [n, store] of stores.entries()) await keep(store, begin(idOf(n + 1)));
    const { rows } = await query(url, "SELECT version, required FROM belay.meta");
    expect(rows).toEqual([{ version: migrations.length, required: 2 }]);
    const shown = new URL("../../src/store/postgres/schema.sql", import.meta.url);
    expect(await dumpSchema(url)).toBe(readFileSync(shown, "utf8"));
  });

  it("are migrated although that takes longer than any other statement may", async () => {
    const url = await createDatabase();
    await createEarlierTables(url);
    await query(
      url,
      `CREATE FUNCTION wait() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(31); END';
      CREATE EVENT TRIGGER slow ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION wait()`,
    );
    await keep(await openStore(url), begin(A));
    const { rows } = await query(url, "SELECT version FROM belay.meta");
    expect(rows).toEqual([{ version: migrations.length }]);
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
