import { createPostgres, type PostgresServer } from "../../test/postgres/postgres-server.ts";
import { query } from "../../test/postgres/scene-databases.ts";
import type { PostgresScale } from "./postgres-scale.ts";

/** A PostgreSQL server that loses nothing at a power cut, for the time of a run. */
export interface PostgresLab {
  readonly server: PostgresServer;
  readonly version: string;
  readonly scale: PostgresScale;
  progress(line: string): void;
}

/** The defaults of PostgreSQL, except for the size of its cache and the distance of its checkpoints. */
export const SETTINGS = {
  fsync: "on",
  full_page_writes: "on",
  autovacuum: "on",
  shared_buffers: "512MB",
  wal_level: "replica",
  max_wal_senders: "10",
  max_wal_size: "4GB",
};

/** Starts a server, and always removes it. Answers the reason if it cannot start. */
export async function withPostgres(
  scale: PostgresScale,
  progress: PostgresLab["progress"],
  use: (lab: PostgresLab) => Promise<void>,
): Promise<string | undefined> {
  let server: PostgresServer;
  try {
    server = await createPostgres(SETTINGS);
    await server.start();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  try {
    const { rows } = await query(server.urlOf("postgres"), "SHOW server_version");
    await use({ server, version: rows[0].server_version, scale, progress });
  } finally {
    await server.remove();
  }
  return undefined;
}

/** Creates a database, and drops it when the work is done. Answers its address. */
export async function withDatabase<Result>(
  { server }: PostgresLab,
  name: string,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const admin = server.urlOf("postgres");
  await query(admin, `CREATE DATABASE ${name}`);
  try {
    return await use(server.urlOf(name));
  } finally {
    await query(admin, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}
