import { BelayError, refuse } from "../../../contract/errors.ts";
import { type KnownSchema, SCHEMA } from "../schema.ts";
import type { Database, SqlSession } from "./database.ts";

/**
 * Creates the tables, or applies the missing migrations. Nodes that open an empty database at once take turns. A node of an older version works
 * with newer tables, unless they require a version that it does not know.
 */
export async function migrate(
  database: Database,
  mustExist = false,
  known: KnownSchema = SCHEMA,
): Promise<void> {
  if (await isUpToDate(database, known)) return;
  await database.longTransaction(async (session) => {
    if (mustExist && (await readSchema(session)).version === 0) throw missing();
    await session.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await session.query("CREATE SCHEMA IF NOT EXISTS belay");
    const schema = await readSchema(session);
    refuseOther(schema, known);
    if (schema.version === 0) {
      await session.query(known.sql);
      await expectUnicode(session);
      await session.query(BEGIN_META);
    }
    const from = Math.max(schema.version, known.version);
    for (const { sql } of known.migrations.slice(from - known.version)) await session.query(sql);
    await session.query(RAISE_VERSION, [newest(known), required(known)]);
    await session.query(NEXT_ERA);
  });
}

/** Refuses to write the tables again if that would remove parts that this version does not know. */
export async function refuseUnknownParts(session: SqlSession): Promise<void> {
  const { version } = await readSchema(session);
  if (version > newest(SCHEMA)) throw newer(version, newest(SCHEMA));
}

function newest({ version, migrations }: KnownSchema): number {
  return version + migrations.length;
}

/** The version that a node must know at least after these migrations. */
function required({ version, migrations }: KnownSchema): number {
  return version + migrations.findLastIndex(({ isRequired }) => isRequired) + 1;
}

/**
 * Transaction ids are only valid in one cluster and on one timeline. After a restore into another cluster, or the
 * promotion of a standby, the feed continues in a new era.
 */
async function isUpToDate(database: Database, known: KnownSchema): Promise<boolean> {
  const schema = await database.read(readSchema);
  if (schema.version === 0) return false;
  refuseOther(schema, known);
  const [row] = await database.query<{ is_same: boolean }>(IS_SAME);
  return schema.version >= newest(known) && row?.is_same === true;
}

/** An arbitrary number that no stream's lock is likely to have. */
const MIGRATION_LOCK = "7308604759846089";

const BEGIN_META = `INSERT INTO belay.meta (version, required, era, cluster, timeline)
  SELECT 0, 0, 1, s.system_identifier::text, c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c`;

/** Another node may have a newer version. */
const RAISE_VERSION = `UPDATE belay.meta m
  SET version = greatest(m.version, $1::integer), required = greatest(m.required, $2::integer)`;

interface Schema {
  /** The number of its last migration; 0 if there are no tables yet. */
  readonly version: number;
  /** The version that a node must know at least. */
  readonly required: number;
}

async function readSchema(session: SqlSession): Promise<Schema> {
  const [found] = await session.query<{ is_there: boolean }>(
    "SELECT to_regclass('belay.meta') IS NOT NULL AS is_there",
  );
  const [row] = found?.is_there ? await session.query<Schema>(VERSIONS) : [];
  return row ?? { version: 0, required: 0 };
}

/** The tables of the first versions do not contain the required version. */
const VERSIONS =
  "SELECT m.version, coalesce((to_jsonb(m) ->> 'required')::integer, 0) AS required FROM belay.meta m";

/** Other encodings cannot hold every text. */
async function expectUnicode(session: SqlSession): Promise<void> {
  const [row] = await session.query<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  const { encoding } = row ?? {};
  if (encoding === "UTF8") return;
  const message = `The database has the encoding ${encoding}. Create one with the encoding UTF8.`;
  throw new BelayError(refuse("storage_unsupported", message, { encoding }));
}

function missing(): BelayError {
  const message = "The database has no sessions of Belay. Check its address.";
  return new BelayError(refuse("storage_missing", message));
}

function refuseOther({ version, required: least }: Schema, known: KnownSchema): void {
  if (least > newest(known)) throw newer(least, newest(known));
  if (version !== 0 && version < known.version) throw older(version, known.version);
}

function newer(version: number, known: number): BelayError {
  const message = `The database has schema version ${version}; this Belay knows versions up to ${known}. Install a newer Belay.`;
  return new BelayError(refuse("storage_newer", message, { version, known }));
}

function older(version: number, known: number): BelayError {
  const message = `The database has schema version ${version}, from before the first release; this Belay knows version ${known}. Copy it with "belay migrate --to sqlite:DIR" of Belay at commit ${LAST}, and copy that into an empty database.`;
  return new BelayError(refuse("storage_unsupported", message, { version, known }));
}

/** The last commit that knew older versions. */
const LAST = "ef76eac4";

const IS_SAME = `SELECT m.cluster = s.system_identifier::text AND m.timeline = c.timeline_id AS is_same
  FROM belay.meta m, pg_control_system() s, pg_control_checkpoint() c`;

const NEXT_ERA = `UPDATE belay.meta m SET era = m.era + 1, cluster = s.system_identifier::text, timeline = c.timeline_id
  FROM pg_control_system() s, pg_control_checkpoint() c
  WHERE m.cluster <> s.system_identifier::text OR m.timeline <> c.timeline_id`;
