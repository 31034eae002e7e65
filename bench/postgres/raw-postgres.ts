import pg from "pg";
import type { ListFilter } from "../contender.ts";
import { filler } from "../turn-text.ts";

/**
 * The limit: PostgreSQL with nothing on top. No hashing, no domain, no check of what others wrote; a stored hash is 32
 * constant bytes, and sessions are found through a Map instead of an index.
 */
export class RawPostgres {
  readonly #pool: pg.Pool;
  readonly #one: pg.Client;
  readonly #streams = new Map<string, { readonly id: number; seq: number }>();

  private constructor(pool: pg.Pool, one: pg.Client) {
    this.#pool = pool;
    this.#one = one;
  }

  static async open(connectionString: string): Promise<RawPostgres> {
    const one = new pg.Client({ connectionString });
    await one.connect();
    await one.query(SCHEMA);
    return new RawPostgres(new pg.Pool({ connectionString, max: CONNECTIONS }), one);
  }

  async createSession(session: string): Promise<void> {
    const id = this.#streams.size + 1;
    const sql = "INSERT INTO raw.streams VALUES ($1, $2, 'writer', 'active', 0, $3)";
    await this.#one.query(sql, [id, session, head(0)]);
    this.#streams.set(session, { id, seq: 0 });
  }

  async appendInOneStatement(session: string, text: string): Promise<void> {
    await this.#one.query({ ...ONE_STATEMENT, values: this.#next(session, text) });
  }

  async appendInFourTrips(session: string, text: string): Promise<void> {
    const [id, seq, ...event] = this.#next(session, text);
    const end = event.pop();
    await this.#one.query("BEGIN");
    await this.#one.query({ ...INSERT, values: [id, seq, ...event] });
    await this.#one.query({ ...UPDATE, values: [id, seq, end] });
    await this.#one.query("COMMIT");
  }

  /** Each caller appends on whichever of the 16 connections is free. */
  async appendOnConnections(callers: readonly string[], turnsEach: number, text: string) {
    await Promise.all(
      callers.map(async (session) => {
        for (let turn = 0; turn < turnsEach; turn++) {
          await this.#pool.query({ ...ONE_STATEMENT, values: this.#next(session, text) });
        }
      }),
    );
  }

  /** One statement writes the turns of all callers. */
  async appendInBatches(callers: readonly string[], turnsEach: number, text: string) {
    for (let turn = 0; turn < turnsEach; turn++) {
      const turns = callers.map((session) => this.#next(session, text));
      const columns = [0, 1, 2, 3, 4, 5, 6].map((column) => turns.map((each) => each[column]));
      await this.#one.query({ ...BATCH, values: columns });
    }
  }

  async turnCount(session: string): Promise<number> {
    const id = this.#streams.get(session)?.id;
    const sql = "SELECT count(*)::int AS turns FROM raw.events WHERE stream = $1";
    const { rows } = await this.#one.query(sql, [id]);
    return rows[0].turns;
  }

  /** The sessions that seeded-sessions.ts describes. Nothing else is written to this table. */
  async seedSessions(count: number, agents: number, statuses: readonly string[]): Promise<void> {
    await this.#one.query(
      "ALTER TABLE raw.events SET UNLOGGED; ALTER TABLE raw.streams SET UNLOGGED",
    );
    const sql = `INSERT INTO raw.streams SELECT n, 'session-' || lpad(n::text, 8, '0'), 'agent-' || n % $2::int,
      ($3::text[])[1 + n / $2::int % cardinality($3::text[])], 0, $4 FROM generate_series(0, $1::int - 1) n`;
    await this.#one.query(sql, [count, agents, statuses, head(0)]);
    await this.#one.query(LIST_INDEX);
    await this.#one.query("VACUUM ANALYZE raw.streams");
  }

  async list({ status, agent, limit }: ListFilter): Promise<string[]> {
    const { rows } = await this.#one.query({ ...LIST, values: [status, agent, limit] });
    return rows.map(({ session }) => session);
  }

  async close(): Promise<void> {
    await this.#pool.end();
    await this.#one.end();
  }

  #next(session: string, text: string): unknown[] {
    const stream = this.#streams.get(session);
    if (!stream) throw new Error(`no session ${session}`);
    stream.seq += 1;
    const { id, seq } = stream;
    return [id, seq, Date.now(), META, JSON.stringify({ text }), HASH, head(seq)];
  }
}

const CONNECTIONS = 16;
const HASH = Buffer.alloc(32, 7);
const META = '{"actor":"agent","interface":"cli","trace_id":"0af7651916cd43dd8448eb211c80319c"}';
const headFiller = filler(1900);

function head(seq: number): string {
  return `{"version":1,"seq":${seq},"status":"active","recent":"${headFiller}"}`;
}

/** Contents are stored uncompressed and within their row, as Belay stores them: measured, this is faster. */
const SCHEMA = `CREATE SCHEMA raw;
  CREATE TABLE raw.streams (id bigint PRIMARY KEY, session text NOT NULL, agent text NOT NULL, status text NOT NULL,
    seq bigint NOT NULL, head text STORAGE EXTERNAL NOT NULL) WITH (fillfactor = 70, toast_tuple_target = 8160);
  CREATE TABLE raw.events (stream bigint, seq bigint, type text NOT NULL, at double precision NOT NULL,
    meta text NOT NULL, body text STORAGE EXTERNAL NOT NULL, hash bytea NOT NULL, PRIMARY KEY (stream, seq))
    WITH (toast_tuple_target = 8160)`;
const LIST_INDEX = "CREATE INDEX streams_newest ON raw.streams (status, agent, id DESC)";

const ONE_STATEMENT = {
  name: "raw_one",
  text: `WITH event AS (INSERT INTO raw.events VALUES ($1, $2, 'turn', $3, $4, $5, $6))
    UPDATE raw.streams SET seq = $2, head = $7 WHERE id = $1`,
};
const INSERT = {
  name: "raw_insert",
  text: "INSERT INTO raw.events VALUES ($1, $2, 'turn', $3, $4, $5, $6)",
};
const UPDATE = {
  name: "raw_update",
  text: "UPDATE raw.streams SET seq = $2, head = $3 WHERE id = $1",
};
const BATCH = {
  name: "raw_batch",
  text: `WITH given AS (SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::float8[], $4::text[], $5::text[], $6::bytea[],
      $7::text[]) AS g(id, seq, at, meta, body, hash, head)),
    event AS (INSERT INTO raw.events SELECT id, seq, 'turn', at, meta, body, hash FROM given)
    UPDATE raw.streams s SET seq = g.seq, head = g.head FROM given g WHERE s.id = g.id`,
};
const LIST = {
  name: "raw_list",
  text: `SELECT session, agent, status, seq, head FROM raw.streams WHERE status = $1 AND agent = $2
    ORDER BY id DESC LIMIT $3`,
};
