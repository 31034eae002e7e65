import { BelayError, refuse } from "../../../contract/errors.ts";
import type { Database, SqlSession } from "./database.ts";
import { migrations } from "./migrations/migrations.ts";

/**
 * Applies the missing migrations. Nodes that open an empty database at once take turns. Within a minor version
 * migrations only add, so a node of an older version can run next to a newer one.
 */
export async function migrate(database: Database): Promise<void> {
  if (await isUpToDate(database)) return;
  await database.transaction(async (session) => {
    await session.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await session.query("CREATE SCHEMA IF NOT EXISTS belay");
    const version = await readVersion(session);
    refuseNewer(version);
    for (const sql of migrations.slice(version)) await session.query(sql);
    if (version === 0) await session.query(BEGIN_META, [migrations.length]);
    else await session.query("UPDATE belay.meta SET version = $1", [migrations.length]);
    await session.query(NEXT_ERA);
  });
}

/**
 * Transaction ids are only valid in one cluster and on one timeline. After a restore into another cluster, or the
 * promotion of a standby, the feed continues in a new era.
 */
async function isUpToDate(database: Database): Promise<boolean> {
  if ((await database.read(readVersion)) === 0) return false;
  const [row] = await database.query<{ version: number; is_same: boolean }>(IS_SAME);
  refuseNewer(row?.version ?? 0);
  return row?.version === migrations.length && row.is_same;
}

/** An arbitrary number that no stream's lock is likely to have. */
const MIGRATION_LOCK = "7308604759846089";

const BEGIN_META = `INSERT INTO belay.meta (version, era, cluster, timeline)
  SELECT $1, 1, s.system_identifier::text, c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c`;

/** Zero if there are no tables yet. */
async function readVersion(session: SqlSession): Promise<number> {
  const [found] = await session.query<{ is_there: boolean }>(
    "SELECT to_regclass('belay.meta') IS NOT NULL AS is_there",
  );
  if (!found?.is_there) return 0;
  const [row] = await session.query<{ version: number }>("SELECT version FROM belay.meta");
  return row?.version ?? 0;
}

function refuseNewer(version: number): void {
  if (version <= migrations.length) return;
  const message = `The database has schema version ${version}; this Belay knows versions up to ${migrations.length}. Install a newer Belay.`;
  throw new BelayError(refuse("storage_newer", message, { version, known: migrations.length }));
}

const IS_SAME = `SELECT m.version, m.cluster = s.system_identifier::text AND m.timeline = c.timeline_id AS is_same
  FROM belay.meta m, pg_control_system() s, pg_control_checkpoint() c`;

const NEXT_ERA = `UPDATE belay.meta m SET era = m.era + 1, cluster = s.system_identifier::text, timeline = c.timeline_id
  FROM pg_control_system() s, pg_control_checkpoint() c
  WHERE m.cluster <> s.system_identifier::text OR m.timeline <> c.timeline_id`;
