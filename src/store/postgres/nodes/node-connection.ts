import type { Client, QueryResultRow } from "pg";
import { connect } from "../database/database.ts";

/**
 * A separate connection for the registration of a node, so that it is renewed even if all other connections are busy. If
 * the server does not answer in time, the next query opens a new connection.
 */
export class NodeConnection {
  readonly #url: string;
  readonly #timeout: number;
  readonly #onCall: () => void;
  readonly #onSilent: () => void;
  #client: Promise<Client> | null = null;

  constructor(url: string, timeout: number, onCall: () => void, onSilent: () => void) {
    this.#url = url;
    this.#timeout = timeout;
    this.#onCall = onCall;
    this.#onSilent = onSilent;
  }

  async query<Row extends QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    this.#client ??= this.#open();
    const opening = this.#client;
    try {
      const client = await opening;
      return (await client.query<Row>(sql, values)).rows;
    } catch (error) {
      this.#drop(opening);
      if (error instanceof Error && /timeout/i.test(error.message)) this.#onSilent();
      throw error;
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #open(): Promise<Client> {
    const client = connect(this.#url, this.#timeout);
    client.on("error", () => {});
    client.on("notification", () => this.#onCall());
    await client.connect();
    await client.query("LISTEN belay_nodes");
    return client;
  }

  #drop(opening: Promise<Client>): void {
    if (this.#client === opening) this.#client = null;
    // Not awaited: the server may never answer.
    void opening.then((client) => client.end()).catch(() => undefined);
  }
}
