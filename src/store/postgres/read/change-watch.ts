import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { connect, type Database } from "../database/database.ts";

/**
 * Notifies watchers that the feed may have more: after commits of this node at once, after those of others by NOTIFY on
 * a connection of its own, and by polling every quarter of a second, because notices can be lost.
 */
export class ChangeWatch {
  readonly #database: Database;
  readonly #watchers = new Set<() => void>();
  #client: Client | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #seen: string | undefined;
  #isDue = false;
  #notifying: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(database: Database) {
    this.#database = database;
  }

  watch(onChange: () => void): () => void {
    // The wrapper lets one function watch twice.
    const watcher = () => onChange();
    this.#watchers.add(watcher);
    this.#timer ??= setInterval(() => void this.#poll(), POLL_MS).unref();
    this.#open();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Called after a commit of this node. The first notice is sent at once; those of the next moments are combined. */
  committed(): void {
    this.call();
    this.#isDue = true;
    this.#notifying ??= this.#notify();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    this.#watchers.clear();
    await this.#notifying;
    await this.#opening;
    await this.#client?.end().catch(() => undefined);
  }

  /** Calls all watchers. */
  call(): void {
    for (const watcher of this.#watchers) {
      queueMicrotask(() => this.#watchers.has(watcher) && watcher());
    }
  }

  async #notify(): Promise<void> {
    while (this.#isDue) {
      this.#isDue = false;
      // A reader that misses a notice polls a moment later.
      await this.#database.write((session) => session.query(NOTIFY)).catch(() => undefined);
      await pause(NOTICE_MS, null, { signal: this.#closing.signal }).catch(() => undefined);
    }
    this.#notifying = undefined;
  }

  #open(): void {
    if (this.#client || this.#opening || this.#closing.signal.aborted) return;
    this.#opening = this.#listen()
      .catch(() => undefined)
      .finally(() => {
        this.#opening = undefined;
      });
  }

  async #listen(): Promise<void> {
    const client = connect(this.#database.url);
    const forget = () => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on("error", forget).on("end", forget);
    client.on("notification", () => this.call());
    await client.connect();
    this.#client = client;
    await client.query("LISTEN belay");
    this.call();
  }

  async #poll(): Promise<void> {
    this.#open();
    try {
      const [newest] = await this.#database.query<{ place: string }>(NEWEST);
      const place = newest?.place ?? "";
      if (place !== this.#seen) this.call();
      this.#seen = place;
    } catch {
      // The next poll may find it.
    }
  }
}

const POLL_MS = 250;
/** Each notice makes every process look for changes, so a busy node sends few of them. */
const NOTICE_MS = 5;
/** A notice may be lost, so its commit does not wait for the disk, as every other commit does. */
const NOTIFY =
  "SELECT pg_notify('belay', '') FROM (SELECT set_config('synchronous_commit', 'off', true) OFFSET 0) AS s";
const NEWEST = `SELECT e.era || '.' || e.xid || '.' || e.pos AS place FROM belay.feed_end() f
  CROSS JOIN LATERAL (
    SELECT * FROM belay.events b WHERE b.origin IS NULL AND (b.era, b.xid) < (f.era, f.xid)
    ORDER BY b.era DESC, b.xid DESC, b.pos DESC LIMIT 1
  ) e`;
