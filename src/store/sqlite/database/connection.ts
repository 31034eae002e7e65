import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import type { Row, Values } from "./columns.ts";
import { isAlone } from "./open-database.ts";

/**
 * A database with its prepared statements. Everything is synchronous, so no code reads inside
 * another's transaction.
 */
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

  /** Like `get`, but without column names, which takes half the time for wide rows. */
  getValues(sql: string, ...values: SQLInputValue[]): Values | undefined {
    const row: unknown = this.#prepareBare(sql).get(...values);
    return isValues(row) ? row : undefined;
  }

  allValues(sql: string, ...values: SQLInputValue[]): Values[] {
    const rows: unknown[] = this.#prepareBare(sql).all(...values);
    return isAllValues(rows) ? rows : [];
  }

  /** Uses `get`, which builds no report of the changes. */
  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).get(...values);
  }

  /** For statements with many values that run with every append: passing them on one by one takes time. */
  statement(sql: string): StatementSync {
    return this.#prepare(sql);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs several reads on one snapshot, whatever other processes commit meanwhile. */
  snapshot<T>(read: () => T): T {
    this.run("BEGIN");
    try {
      return read();
    } finally {
      this.rollback();
    }
  }

  rollback(): void {
    // SQLite rolls back by itself after some errors.
    if (this.#database.isTransaction) this.run("ROLLBACK");
  }

  /**
   * Opens a new connection to the same file. The old one stays if that fails, unless it has the
   * file locked for itself.
   */
  reopen(): void {
    if (this.#isAlone) this.close();
    const fresh = this.#open();
    this.close();
    this.#database = fresh;
    this.#isAlone = isAlone(fresh);
  }

  /**
   * True if this connection locks out all others, because the memory for sharing could not be
   * created.
   */
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
    keepStatement(this.#statements, sql, statement);
    return statement;
  }

  #prepareBare(sql: string): StatementSync {
    const known = this.#bare.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    keepStatement(this.#bare, sql, statement);
    return statement;
  }

  #forget(): void {
    this.#statements.clear();
    this.#bare.clear();
  }
}

/** The number of statements that are kept. Each combination of filters has its own, and takes about 10 KB. */
const MOST_STATEMENTS = 500;

function keepStatement(
  kept: Map<string, StatementSync>,
  sql: string,
  statement: StatementSync,
): void {
  if (kept.size >= MOST_STATEMENTS) kept.clear();
  kept.set(sql, statement);
}

/** All rows of a statement have the same form. */
function isAllValues(rows: unknown[]): rows is SQLOutputValue[][] {
  return isValues(rows[0]);
}

function isValues(row: unknown): row is SQLOutputValue[] {
  return Array.isArray(row);
}
