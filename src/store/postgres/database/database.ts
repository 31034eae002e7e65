import { createHash } from "node:crypto";
import pg from "pg";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { isConflict, isConnectionLost, toStorageError } from "./postgres-error.ts";

interface DatabaseOptions {
  readonly url: string;
  /** The schema with the tables, `belay` by default. Only a copy that is being made has another. */
  readonly schema?: string | undefined;
  /** How long to retry while the server is unreachable, or others hold a lock. */
  readonly busyMs: number;
  /** The most connections that readers share. */
  readonly readers: number;
}

/** Runs prepared statements on a connection. */
export interface SqlSession {
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The connections of a node. Readers never use those reserved for writers. */
export class Database {
  readonly #openPool: () => pg.Pool;
  /** The connections in use. */
  readonly #lent = new Set<pg.PoolClient>();
  #pool: pg.Pool;
  readonly #busyMs: number;
  readonly #waiting: (() => void)[] = [];
  #freeReaders: number;
  readonly url: string;
  readonly #schema: string;

  constructor({ url, schema = SCHEMA, busyMs, readers }: DatabaseOptions) {
    this.url = url;
    this.#schema = schema;
    this.#busyMs = busyMs;
    this.#freeReaders = readers;
    this.#openPool = () => openPool(url, readers + WRITERS, busyMs);
    this.#pool = this.#openPool();
  }

  /** Repeated while the server is unreachable. */
  async read<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    await this.#takeReader();
    try {
      return await this.retry(() => this.#lend(work));
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#freeReaders += 1;
    }
  }

  /** Waits for a free reader until the time limit. */
  #takeReader(): Promise<void> {
    if (this.#freeReaders > 0) {
      this.#freeReaders -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const take = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(exhausted());
      }, this.#busyMs);
      this.#waiting.push(take);
    });
  }

  /** The connections of this process, the free ones, and the requests that wait for one. */
  get connections(): { connections: number; free: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    const waiting = waitingCount + this.#waiting.length;
    return { connections: totalCount, free: idleCount, waiting };
  }

  /** One statement, for a reader. */
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.read((session) => session.query<Row>(sql, values));
  }

  /** Runs on a connection for writers; never repeated. */
  write<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#lend(work);
  }

  /**
   * A transaction of several statements. It is only repeated after a conflict or a lost connection if nothing was
   * committed.
   */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.retry(() => this.write((session) => inTransaction(session, work)));
  }

  /** The same with statements that take long on large tables, such as those of a migration. */
  longTransaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const lengthy = (session: SqlSession) =>
      inTransaction(session, async () => {
        await session.query(`SET LOCAL statement_timeout = ${LONG_MS}`);
        return work(session);
      });
    return this.retry(() => this.#lend(lengthy, LONG_MS));
  }

  /** Repeats work that has no effect until it succeeds. */
  async retry<T>(work: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.#busyMs;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await work();
      } catch (error) {
        const mayPass = isConnectionLost(error) || isConflict(error);
        if (!mayPass || performance.now() + wait > end) throw toStorageError(error);
      }
      await pause(wait * (0.5 + Math.random()));
    }
  }

  /** Drops all connections. The server did not answer on one of them, so requests on the others would wait for long. */
  renew(): void {
    const pool = this.#pool;
    this.#pool = this.#openPool();
    for (const client of this.#lent) void client.end().catch(() => undefined);
    void pool.end().catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #lend<T>(work: (session: SqlSession) => Promise<T>, timeout?: number): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      const { totalCount, idleCount, options } = this.#pool;
      const isFull = totalCount >= options.max && idleCount === 0;
      throw isFull && isConnectionLost(error) ? exhausted() : error;
    });
    let isSpoiled = false;
    // An error between two statements is reported by the next statement.
    const onError = () => {
      isSpoiled = true;
    };
    client.on("error", onError);
    this.#lent.add(client);
    try {
      return await work(toSession(client, this.#schema, timeout));
    } catch (error) {
      isSpoiled ||= isConnectionLost(error);
      throw error;
    } finally {
      client.off("error", onError);
      this.#lent.delete(client);
      client.release(isSpoiled);
    }
  }
}

/** A connection outside the pool. With a timeout, a query fails if the server does not answer in time. */
export function connect(url: string, timeout?: number): pg.Client {
  const limits = timeout && { query_timeout: timeout, connectionTimeoutMillis: timeout };
  return new pg.Client({ ...settingsOf(url), ...limits });
}

/** `timeout` replaces that of the connection. */
export function toSession(
  client: pg.ClientBase,
  schema = SCHEMA,
  timeout: number | undefined = undefined,
): SqlSession {
  return {
    async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
      const text = schema === SCHEMA ? sql : inSchema(sql, SCHEMA, schema);
      const isPlain = values.length === 0 && !/^\s*(?:SELECT|WITH)/.test(text);
      const named = isPlain ? {} : { name: nameOf(text) };
      const limit = timeout === undefined ? {} : { query_timeout: timeout };
      const { rows } = await client.query<Row>({ ...named, ...limit, text, values: [...values] });
      return rows;
    },
  };
}

/** All statements name the schema of each table and function. */
export const SCHEMA = "belay";

/** The same statements for the tables of another schema. */
export function inSchema(sql: string, from: string, to: string): string {
  return sql.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to);
}

export async function inTransaction<T>(
  session: SqlSession,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  await session.query("BEGIN");
  let result: T;
  try {
    result = await work(session);
  } catch (error) {
    if (!isConnectionLost(error)) await session.query("ROLLBACK");
    throw error;
  }
  await session.query("COMMIT");
  return result;
}

/** Two lanes, and one for leases, purges and blobs. */
const WRITERS = 3;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1000;

function openPool(url: string, max: number, busyMs: number): pg.Pool {
  const pool = new pg.Pool({
    ...settingsOf(url),
    // An idle process stays visible to others, such as one that may encrypt the database only if no other uses it.
    min: 1,
    allowExitOnIdle: true,
    max,
    connectionTimeoutMillis: busyMs,
    Client: PooledClient,
    idleTimeoutMillis: 30_000,
  });
  // An idle connection that breaks is replaced by the next one that is needed.
  pool.on("error", () => {});
  // PgBouncer refuses these as parameters of the connection.
  pool.on("connect", (client) => void client.query(limitsOf(busyMs)).catch(() => {}));
  return pool;
}

/** Gives up on a connection that does not open, so that there is time for another attempt. */
class PooledClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    const given = typeof config === "object" ? config : {};
    super({ ...given, connectionTimeoutMillis: CONNECT_MS });
    // After a login that has failed, the driver would leave the socket open until the server closes it.
    this.connection.on("error", () => this.connection.stream.destroy());
  }
}

const CONNECT_MS = 3000;

function settingsOf(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    fallback_application_name: "belay",
    // The client itself gives up on a server that has stopped answering.
    query_timeout: QUERY_TIMEOUT_MS,
    types: { getTypeParser },
  };
}

const QUERY_TIMEOUT_MS = 30_000;
/** An index on a hundred million rows takes less. */
const LONG_MS = 3_600_000;

/** A process that hangs or has lost its network must not hold locks for long. */
const limitsOf = (busyMs: number): string =>
  `SET statement_timeout = '30s'; SET lock_timeout = ${Math.max(1, Math.round(busyMs))}; SET idle_in_transaction_session_timeout = '5s'`;

function exhausted(): BelayError {
  const message =
    "All connections of this process to the database are in use. Try again in a moment.";
  return new BelayError(refuse("store_busy", message));
}

/** Counts and times fit into a number; transaction ids stay texts. */
const INT8 = 20;

function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === INT8) return Number;
  return pg.types.getTypeParser(oid, format);
}

const names = new Map<string, string>();

/** The same statement has the same name on every connection. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `belay_${createHash("sha256").update(sql).digest("hex").slice(0, 20)}`;
  names.set(sql, name);
  return name;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
