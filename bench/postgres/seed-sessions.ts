import pg from "pg";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { newSession } from "../belay-calls.ts";
import { sessionStatuses } from "../contender.ts";
import type { SeededSessions } from "../seeded-sessions.ts";

const BATCH = 100_000;

/**
 * The rows that Belay would write for these sessions, made by the server from one session of each status that Belay did
 * write. Their hashes are computed, so `belay verify` finds nothing wrong. The tables must have no other rows.
 */
export async function seedSessions(
  url: string,
  { count, agents }: SeededSessions,
  progress: (done: number) => void = () => {},
): Promise<void> {
  await writeTemplates(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query(TEMPLATES);
    const begin = Date.now() - count * 100;
    for (let from = 0; from < count; from += BATCH) {
      const upto = Math.min(from + BATCH, count);
      const values = [from, upto - 1, agents, [...sessionStatuses], begin];
      await client.query({ name: "seed", text: SEED, values });
      progress(upto);
    }
    await client.query(INDEXES);
    await client.query("COMMIT");
    for (const table of ["streams", "events"]) await client.query(`VACUUM ANALYZE belay.${table}`);
  } finally {
    await client.end();
  }
}

async function writeTemplates(url: string): Promise<void> {
  const store = await openPostgresStore({ url, isAlive: () => true });
  for (const status of sessionStatuses) {
    const session = newSession({ session: `template-${status}`, agent: "template-agent", status });
    const streams = session.create ? [session.create] : [];
    await store.transact({ streams, decide: () => ({ appends: [session] }) });
  }
  await store.close();
}

/**
 * Templates are formats: 1 is the id, 2 the key, 3 the agent, 4 the time. All times in a template are the moment at which
 * it was written. The tables are emptied in this transaction, so that PostgreSQL can fill them without a log, and their
 * indexes are created at the end.
 */
const TEMPLATES = `
  CREATE FUNCTION pg_temp.to_format(content text, s belay.streams) RETURNS text LANGUAGE sql AS $$
    SELECT replace(replace(replace(replace(replace(content, '%', '%%'), s.id, '%1$s'), s.key, '%2$s'),
      'template-agent', '%3$s'), s.created::bigint::text, '%4$s') $$;
  CREATE FUNCTION pg_temp.meta_format(e belay.events) RETURNS text LANGUAGE sql AS $$
    SELECT format('["%%1$s",%s,"%s",%%4$s,"%s","%s","%s",null,null,null]', e.seq, e.type, e.actor, e.interface, e.trace_id) $$;
  CREATE TEMP TABLE templates AS
    SELECT s.status AS template, s AS stream, pg_temp.to_format(s.head, s) AS head,
      e1 AS event, pg_temp.meta_format(e1) AS meta, pg_temp.to_format(e1.body, s) AS body,
      e2 AS event2, pg_temp.meta_format(e2) AS meta2, pg_temp.to_format(e2.body, s) AS body2
    FROM belay.streams s JOIN belay.events e1 ON e1.sid = s.sid AND e1.seq = 1
    LEFT JOIN belay.events e2 ON e2.sid = s.sid AND e2.seq = 2;
  CREATE TEMP TABLE indexes AS SELECT indexname, indexdef FROM pg_indexes
    WHERE schemaname = 'belay' AND tablename IN ('streams', 'events') AND indexname NOT LIKE '%_pkey';
  TRUNCATE belay.streams, belay.events;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT indexname FROM indexes LOOP EXECUTE 'DROP INDEX belay.' || name; END LOOP;
  END $$`;

const INDEXES = `
  DO $$ DECLARE sql text; BEGIN
    FOR sql IN SELECT indexdef FROM indexes LOOP EXECUTE sql; END LOOP;
  END $$;
  SELECT setval('belay.sids', (SELECT max(sid) + 64 FROM belay.streams))`;

const hashOf = (previous: string, meta: string, body: string) =>
  `sha256(convert_to(${previous} || format(${meta}, id, key, agent, at) || encode(sha256(convert_to(${body}, 'UTF8')), 'hex'), 'UTF8'))`;

/** Sessions are a tenth of a second apart. Activity is recorded by the minute. */
const SEED = `
  WITH given AS (
    SELECT 1000000 + n AS sid, n, lpad(to_hex(n), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(n * 2654435761 % 281474976710656), 12, '0') AS id,
      'session-' || lpad(n::text, 8, '0') AS key, 'agent-' || n % $3::int AS agent, $5::bigint + n * 100 AS at,
      ($4::text[])[1 + n / $3::int % cardinality($4::text[])] AS template
    FROM generate_series($1::bigint, $2::bigint) n
  ), filled AS (
    SELECT g.*, t.stream, t.head, t.event, t.event2, t.meta, t.meta2, format(t.body, id, key, agent, at) AS body,
      CASE WHEN t.body2 IS NOT NULL THEN format(t.body2, id, key, agent, at) END AS body2
    FROM given g JOIN templates t USING (template)
  ), first AS (
    SELECT *, ${hashOf("repeat('0', 64)", "meta", "body")} AS hash FROM filled OFFSET 0
  ), made AS MATERIALIZED (
    SELECT *, CASE WHEN body2 IS NOT NULL THEN ${hashOf("encode(hash, 'hex')", "meta2", "body2")} END AS hash2 FROM first
  ), events AS (
    INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, trace_id, hash, body)
    SELECT sid, (e).seq, (e).era, 2 * (n - $1) + (e).seq, (e).type, at, (e).actor, (e).interface, (e).trace_id, h, b
    FROM made, LATERAL (VALUES (event, hash, body), (event2, hash2, body2)) AS v(e, h, b) WHERE h IS NOT NULL
  )
  INSERT INTO belay.streams (sid, id, kind, owner, key, seq, hash, epoch, status, phase, agent, interface, project, task,
      waiting, unsettled, pinned, created, activity, head)
    SELECT sid, id, (stream).kind, (stream).owner, key, (stream).seq, coalesce(hash2, hash), 0, template, (stream).phase,
      agent, (stream).interface, (stream).project, id, (stream).waiting, (stream).unsettled, (stream).pinned, at,
      floor(at / 60000) * 60000, format(head, id, key, agent, at)
    FROM made`;
