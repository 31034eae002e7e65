import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Row } from "./columns.ts";

/** A database with its prepared statements. Everything is synchronous, so nobody reads inside another's transaction. */
export class Connection {
  readonly #open: () => DatabaseSync;
  #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(open: () => DatabaseSync) {
    this.#open = open;
    this.#database = open();
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).run(...values);
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  rollback(): void {
    // SQLite has done so itself after some errors.
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
  }

  /** A new connection to the same file; the old one stays when there is none to be had. */
  reopen(): void {
    const fresh = this.#open();
    this.#statements.clear();
    this.#database.close();
    this.#database = fresh;
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
