import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { type ChangedStreams, StreamWatchers } from "../../stream-watchers.ts";
import { connect, type Database } from "../database/database.ts";
import { readNotice, writeNotice } from "./change-notice.ts";
import { type FeedEnd, readFeedEnd } from "./read-feed.ts";

/**
 * Notifies watchers of commits: of this node at once, of others by NOTIFY on a connection of its own. Notices name the
 * changed streams, so the watchers of other streams read nothing. Notices can be lost, so every quarter of a second one
 * query for the whole node reads which streams have changed.
 */
export class ChangeWatch {
  readonly #database: Database;
  readonly #watchers = new StreamWatchers();
  /** Names this node in its notices. */
  readonly #self = randomUUID();
  #client: Client | undefined;
  #opening: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** All changes before this end of the feed were looked for. */
  #end: FeedEnd | undefined;
  #looking: Promise<void> | undefined;
  #isLookDue = false;
  /** Changes that no notice has named yet. */
  #unsent = new Map<string, number>();
  #notifying: Promise<void> | undefined;
  /** Other nodes, and when their last notice came. */
  readonly #heard = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(database: Database) {
    this.#database = database;
  }

  watch(onChange: (seq?: number) => void, stream?: string): () => void {
    const stop = this.#watchers.add(onChange, stream);
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    this.#open();
    return () => {
      stop();
      if (!this.#watchers.isEmpty) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#end = undefined;
    };
  }

  /** Called after a commit of this node. The first notice is sent at once; those of the next moments are combined. */
  committed(changed: ChangedStreams): void {
    this.#watchers.call(changed);
    for (const [id, seq] of changed) this.#unsent.set(id, seq);
    this.#notifying ??= this.#notify();
  }

  /** Calls all watchers, because anything may have changed. */
  callAll(): void {
    this.#watchers.callAll();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    this.#watchers.clear();
    await this.#notifying;
    await this.#opening;
    await this.#looking;
    await this.#client?.end().catch(() => undefined);
  }

  async #notify(): Promise<void> {
    while (this.#unsent.size > 0) {
      const notice = writeNotice(this.#self, this.#unsent);
      this.#unsent = new Map();
      // A reader that misses a notice polls a moment later.
      await this.#database.write((session) => session.query(NOTIFY, [notice])).catch(() => []);
      const { signal } = this.#closing;
      await pause(this.#noticeInterval(), null, { signal }).catch(() => undefined);
    }
    this.#notifying = undefined;
  }

  /** Every notice wakes every node, so each of many nodes that write sends fewer of them. */
  #noticeInterval(): number {
    const recently = performance.now() - RECENTLY_MS;
    for (const [node, at] of this.#heard) if (at < recently) this.#heard.delete(node);
    return Math.max(NOTICE_MS, (this.#heard.size + 1) * NOTICE_MS_PER_NODE);
  }

  #hear(payload: string | undefined): void {
    const notice = readNotice(payload);
    if (notice?.from === this.#self) {
      // The feed may have hidden the commit behind an earlier transaction until now.
      this.#watchers.call([]);
      return;
    }
    if (notice) this.#heard.set(notice.from, performance.now());
    if (notice?.changed) this.#watchers.callForNews(notice.changed);
    else this.#look();
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
    client.on("notification", ({ payload }) => this.#hear(payload));
    await client.connect();
    this.#client = client;
    await client.query("LISTEN belay");
    // The server may be another one now.
    this.callAll();
  }

  #poll(): void {
    this.#open();
    this.#look();
    this.#watchers.callAfter(LONGEST_MS);
  }

  /** Looks for changes now or, if it is looking, once more. */
  #look(): void {
    this.#isLookDue = true;
    this.#looking ??= this.#findChanges().finally(() => {
      this.#looking = undefined;
    });
  }

  async #findChanges(): Promise<void> {
    while (this.#isLookDue && !this.#watchers.isEmpty) {
      this.#isLookDue = false;
      // The next poll continues at the same place.
      await this.#findChangesOnce().catch(() => undefined);
    }
  }

  /** The rows are read after the end, by a query of their own, so that all transactions before it are visible. */
  async #findChangesOnce(): Promise<void> {
    const start = this.#end;
    const end = await readFeedEnd(this.#database);
    if (!start || start.era !== end.era || BigInt(end.xid) < BigInt(start.xid)) {
      this.#end = end;
      this.callAll();
      return;
    }
    if (start.xid === end.xid) return;
    const values = [start.era, start.xid, end.xid, MOST_EVENTS];
    const found = await this.#database.query<ChangedColumns>(CHANGED, values);
    this.#end = end;
    const events = found.reduce((sum, { n }) => sum + n, 0);
    if (events >= MOST_EVENTS) this.callAll();
    else if (events > 0) {
      this.#watchers.callForNews(found.flatMap(({ id, seq }) => (id === null ? [] : [[id, seq]])));
    }
  }
}

interface ChangedColumns {
  /** Null if the stream was purged meanwhile. */
  readonly id: string | null;
  readonly seq: number;
  /** The number of its events. */
  readonly n: number;
}

const POLL_MS = 250;
/** A busy node combines the changes of this time in a notice. */
const NOTICE_MS = 5;
/** All nodes together send at most two notices per millisecond. */
const NOTICE_MS_PER_NODE = 0.5;
const RECENTLY_MS = 2000;
/** A watcher is called after this time even if nothing is known to have changed. */
const LONGEST_MS = 60_000;
/** After more events at once, all watchers are called. */
const MOST_EVENTS = 20_000;
/** A notice may be lost, so its commit does not wait for the disk, as every other commit does. */
const NOTIFY =
  "SELECT pg_notify('belay', $1) FROM (SELECT set_config('synchronous_commit', 'off', true) OFFSET 0) AS s";
const CHANGED = `SELECT (SELECT s.id FROM belay.streams s WHERE s.sid = c.sid) AS id, c.seq, c.n FROM (
    SELECT p.sid, max(p.seq) AS seq, count(*)::integer AS n FROM (
      SELECT e.sid, e.seq FROM belay.events e WHERE e.origin IS NULL AND e.era = $1
        AND e.xid >= $2::text::xid8 AND e.xid < $3::text::xid8 LIMIT $4
    ) p GROUP BY p.sid
  ) c`;
