import { type ExpiringValues, MOST_VALUES } from "../../expiring-values.ts";
import type { Database } from "../database/database.ts";

/** Expiring values in the table `belay.expiring`. */
export class PostgresValues implements ExpiringValues {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(kind: string, key: string, value: string, ms: number): Promise<void> {
    await this.#database.query(ADD, [kind, key, value, ms]);
    await this.#database.query(DROP, [kind, MOST_VALUES]);
  }

  async read(kind: string, key: string): Promise<string | null> {
    return this.#first(READ, [kind, key]);
  }

  async replace(kind: string, key: string, before: string, value: string): Promise<boolean> {
    return (await this.#first(REPLACE, [kind, key, before, value])) !== null;
  }

  async take(kind: string, key: string): Promise<string | null> {
    return this.#first(TAKE, [kind, key]);
  }

  async #first(sql: string, values: readonly unknown[]): Promise<string | null> {
    const [row] = await this.#database.query<{ value: string }>(sql, [...values]);
    return row?.value ?? null;
  }
}

const FOUND = "e.kind = $1 AND e.key = $2 AND belay.now_ms() < e.until";
const ADD = `INSERT INTO belay.expiring (kind, key, value, until) VALUES ($1, $2, $3, belay.now_ms() + $4)`;
/** Drops what has expired, and the oldest of a kind. All values of a kind last equally long. */
const DROP = `DELETE FROM belay.expiring e WHERE (e.kind = $1 AND e.until <= belay.now_ms()) OR (e.kind, e.key) IN (
    SELECT o.kind, o.key FROM belay.expiring o WHERE o.kind = $1 ORDER BY o.until DESC, o.nr DESC OFFSET $2
  )`;
const READ = `SELECT e.value FROM belay.expiring e WHERE ${FOUND}`;
const REPLACE = `UPDATE belay.expiring e SET value = $4 WHERE ${FOUND} AND e.value = $3 RETURNING e.value`;
const TAKE = `DELETE FROM belay.expiring e WHERE ${FOUND} RETURNING e.value`;
