import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Row, Values } from "./columns.ts";
import { isAlone } from "./open-database.ts";

/** A database with its prepared statements. Everything is synchronous, so nobody reads inside another's transaction. */
export class Connection {
  readonly #open: () => DatabaseSync;
  #database: DatabaseSync;
  #isAlone: boolean;
  readonly #statements = new Map<string, StatementSync>();
  readonly #bare = new Map<string, StatementSync>();

  constructor(open: () => DatabaseSync) {
    this.#open = open;
    this.#database = open();
    this.#isAlone = isAlone(this.#database);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  /** As `get`, without the names of the columns: half the time where rows have many. */
  getValues(sql: string, ...values: SQLInputValue[]): Values | undefined {
    const row: unknown = this.#prepareBare(sql).get(...values);
    return isValues(row) ? row : undefined;
  }

  allValues(sql: string, ...values: SQLInputValue[]): Values[] {
    const rows: unknown[] = this.#prepareBare(sql).all(...values);
    return rows.filter(isValues);
  }

  /** By `get`, which makes no report of what has changed. */
  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).get(...values);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Several reads of one moment, whatever other processes commit meanwhile. */
  snapshot<T>(read: () => T): T {
    this.run("BEGIN");
    try {
      return read();
    } finally {
      this.rollback();
    }
  }

  rollback(): void {
    // SQLite has done so itself after some errors.
    if (this.#database.isTransaction) this.run("ROLLBACK");
  }

  /** A new connection to the same file; the old one stays when there is none to be had, unless it is in its own way. */
  reopen(): void {
    if (this.#isAlone) this.close();
    const fresh = this.#open();
    this.close();
    this.#database = fresh;
    this.#isAlone = isAlone(fresh);
  }

  /** Locks all others out, for want of room to share. */
  get isAlone(): boolean {
    return this.#isAlone;
  }

  close(): void {
    this.#forget();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #prepareBare(sql: string): StatementSync {
    const known = this.#bare.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#bare.set(sql, statement);
    return statement;
  }

  #forget(): void {
    this.#statements.clear();
    this.#bare.clear();
  }
}

function isValues(row: unknown): row is SQLOutputValue[] {
  return Array.isArray(row);
}
