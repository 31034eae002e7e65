import type { Fact } from "../../store-care.ts";
import type { Database } from "../database/database.ts";

interface Facts {
  readonly version: string;
  readonly address: string;
  readonly role: string;
  readonly schema: number;
  readonly era: number;
  readonly streams: number;
  readonly size: string;
  readonly checksums: string;
  readonly fsync: string;
  readonly synchronous_commit: string;
  readonly full_page_writes: string;
  readonly standbys: number;
  readonly synchronous_standbys: string;
  readonly connections: number;
  readonly most_connections: number;
  readonly strangers: number;
}

/** The lines of `doctor` about this store. */
export async function describeStore(database: Database): Promise<Fact[]> {
  const start = performance.now();
  const [facts] = await database.query<Facts>(FACTS);
  const latency = performance.now() - start;
  if (!facts) return [];
  return [
    fact("PostgreSQL", `${facts.version} at ${facts.address}`),
    fact("answered within", `${latency.toFixed(1)} ms`),
    describeRole(facts),
    fact("schema", `${facts.schema}, era ${facts.era}`),
    fact("streams", `about ${facts.streams}`),
    fact("database size", facts.size),
    describeDurability(facts),
    describeChecksums(facts),
    describeStandbys(facts),
    describeConnections(facts),
  ];
}

/** Readers of the feed wait for every transaction of the role, whichever program uses it. */
function describeRole({ role, strangers }: Facts): Fact {
  if (strangers === 0) return fact("role", role);
  const value = `${role}, and ${strangers} other connections use it`;
  return fact("role", value, "give Belay a role of its own: a long transaction delays its feed");
}

function describeDurability({ fsync, synchronous_commit, full_page_writes }: Facts): Fact {
  const weak = Object.entries({ fsync, synchronous_commit, full_page_writes }).filter(
    ([, value]) => value === "off",
  );
  const names = weak.map(([name]) => `${name} = off`).join(", ");
  if (weak.length === 0) return fact("durability", "acknowledged changes survive a power cut");
  return fact("durability", names, "a power cut can lose acknowledged changes: turn these on");
}

function describeChecksums({ checksums }: Facts): Fact {
  const fix = "turn them on with pg_checksums while the server is stopped";
  return fact("page checksums", checksums, checksums === "on" ? null : fix);
}

function describeStandbys({ standbys, synchronous_standbys }: Facts): Fact {
  if (standbys === 0) return fact("standbys", "none");
  if (synchronous_standbys !== "") return fact("standbys", `${standbys}, synchronous`);
  const fix = "a failover can lose acknowledged changes: set synchronous_standby_names";
  return fact("standbys", `${standbys}, asynchronous`, fix);
}

function describeConnections({ connections, most_connections }: Facts): Fact {
  const value = `${connections} of ${most_connections} in use`;
  const fix = "raise max_connections, or connect through PgBouncer";
  return fact("connections", value, connections < most_connections * 0.9 ? null : fix);
}

function fact(name: string, value: string, fix: string | null = null): Fact {
  return { name, value, ok: fix === null, fix };
}

const FACTS = `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
  coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket') AS address,
  current_user::text AS role, m.version AS schema, m.era,
  (SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'belay.streams'::regclass) AS streams,
  pg_size_pretty(pg_database_size(current_database())) AS size,
  current_setting('data_checksums') AS checksums, current_setting('fsync') AS fsync,
  current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('full_page_writes') AS full_page_writes,
  (SELECT count(*) FROM pg_stat_replication) AS standbys,
  current_setting('synchronous_standby_names') AS synchronous_standbys,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  current_setting('max_connections')::integer AS most_connections,
  (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user AND application_name <> 'belay'
    AND backend_type = 'client backend') AS strangers
  FROM belay.meta m`;
