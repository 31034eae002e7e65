import { setTimeout as pause } from "node:timers/promises";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { SEALED_LIMITS } from "../../append-rules.ts";
import type { PrepareSealer } from "../../content-sealer.ts";
import {
  connect,
  Database,
  inSchema,
  inTransaction,
  SCHEMA,
  type SqlSession,
  toSession,
} from "../database/database.ts";
import { migrate, refuseUnknownParts } from "../database/migrate.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { copySealed, listWriters } from "./copy-sealed.ts";

/**
 * Puts encrypted tables in the place of those of a database. They are written into a schema of their own; the original
 * stays as it is, and locked, until they are complete. After an interruption the next call continues where this one stopped,
 * unless the data or the master key has changed since. No other process may use the database meanwhile.
 */
export async function sealDatabase(
  url: string,
  master: string,
  prepare: PrepareSealer,
): Promise<void> {
  const client = connect(url, 0);
  await client.connect();
  const to = new Database({ url, schema: COPY, busyMs: BUSY_MS, readers: 1 });
  try {
    const from = toSession(client);
    await client.query(WITHOUT_LIMITS);
    await inTransaction(from, async () => {
      await lockAll(from);
      await begin(from, to, master);
      await copy(from, to, prepare);
      await swap(from);
    });
  } finally {
    await to.close();
    await client.end();
  }
}

const COPY = "belay_sealed";
const OLD = "belay_plain";
const BUSY_MS = 10_000;

/** The statements of a copy may take long. */
const WITHOUT_LIMITS =
  "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET lock_timeout = '10s'";

/** A process that opens the database waits, and then finds it encrypted. */
async function lockAll(from: SqlSession): Promise<void> {
  const tables = await from.query<{ name: string }>(TABLES);
  await from.query(`LOCK TABLE ${tables.map(({ name }) => name).join(", ")}`);
  // The server takes a moment to notice that a process has closed its connections.
  for (let attempt = 0; ; attempt += 1) {
    const [others] = await from.query<{ count: number }>(OTHERS);
    if (others?.count === 0) return;
    if (attempt === 30) throw isBusy();
    await pause(100);
  }
}

/** Creates the schema of the copy, unless an interrupted call has started to copy the same data. */
async function begin(from: SqlSession, to: Database, master: string): Promise<void> {
  await refuseUnknownParts(from);
  const [data] = await from.query<Source>(SOURCE);
  const source = `${data?.stamp} ${master}`;
  const [begun] = await to.query<{ is_begun: boolean }>(IS_BEGUN);
  if (begun?.is_begun) {
    const [copied] = await to.query<{ source: string }>("SELECT source FROM belay.copy_of");
    if (copied?.source === source) return;
  }
  await to.write((session) => session.query(`DROP SCHEMA IF EXISTS ${COPY} CASCADE`));
  await migrate(to);
  await to.transaction(async (session) => {
    await session.query("UPDATE belay.meta SET era = $1", [data?.era]);
    // Keys are streams too, and must not have the numbers of others.
    await session.query("SELECT setval('belay.sids', $1)", [data?.last_sid]);
    await session.query("CREATE TABLE belay.copy_of (source text NOT NULL)");
    await session.query("INSERT INTO belay.copy_of (source) VALUES ($1)", [source]);
  });
}

interface Source {
  /** Differs after any change of the copied data. */
  readonly stamp: string;
  readonly era: number;
  readonly last_sid: number;
}

async function copy(from: SqlSession, to: Database, prepare: PrepareSealer): Promise<void> {
  const store = await openPostgresStore({
    url: to.url,
    schema: COPY,
    isAlive: () => true,
    limits: SEALED_LIMITS,
  });
  try {
    await copySealed(from, to, await prepare(store, await listWriters(from)));
  } finally {
    await store.close();
  }
}

/** Visible to others at once, when the transaction is committed. */
async function swap(from: SqlSession): Promise<void> {
  for (const table of ["tombstones", "nodes"]) {
    await from.query(`INSERT INTO ${COPY}.${table} SELECT * FROM belay.${table}`);
  }
  await from.query(`DROP TABLE ${COPY}.copy_of`);
  await from.query(`ALTER SCHEMA belay RENAME TO ${OLD}`);
  await from.query(`ALTER SCHEMA ${COPY} RENAME TO belay`);
  // The bodies of functions are texts that still name the other schema.
  for (const { definition } of await from.query<{ definition: string }>(FUNCTIONS)) {
    await from.query(inSchema(definition, COPY, SCHEMA));
  }
  await from.query(`DROP SCHEMA ${OLD} CASCADE`);
}

function isBusy(): BelayError {
  const message =
    "Another process is using the database. Stop all servers and other Belay processes, then run: belay encrypt enable";
  return new BelayError(refuse("store_busy", message));
}

const TABLES =
  "SELECT format('belay.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'belay'";
const OTHERS = `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()
  AND usename = current_user AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
const SOURCE = `SELECT m.era, (SELECT last_value FROM belay.sids) AS last_sid, concat_ws(' ',
    (SELECT md5(string_agg(md5(s::text), '' ORDER BY s.sid)) FROM belay.streams s),
    (SELECT md5(string_agg(h::text, '' ORDER BY h.sid, h.bid)) FROM belay.blob_holders h),
    (SELECT md5(string_agg(t.id, ' ' ORDER BY t.id)) FROM belay.tombstones t)) AS stamp
  FROM belay.meta m`;
const IS_BEGUN = "SELECT to_regclass('belay.copy_of') IS NOT NULL AS is_begun";
const FUNCTIONS = `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
  WHERE pronamespace = 'belay'::regnamespace`;
