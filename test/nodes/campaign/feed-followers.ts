import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { listOf, type RealServer, recordOf } from "../../serve/server-process.ts";
import type { LoggedEvent } from "./judge-history.ts";

/** Follows the feed through the nodes and, as a control, by transaction id, which skips what commits late. */
export class FeedFollowers {
  readonly #seen = new Map<string, number>();
  readonly #bySequence = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>[];

  constructor(anyNode: () => RealServer, url: () => string) {
    this.#running = [this.#follow(anyNode), this.#followBySequence(url)];
  }

  /** Waits until the feed has nothing more, and returns the events that were skipped or repeated. */
  async finish(history: readonly LoggedEvent[]) {
    const ids = history.map(nameOf);
    for (const end = Date.now() + 30_000; Date.now() < end; await pause(100)) {
      if (ids.every((id) => this.#seen.has(id))) break;
    }
    this.#stop.abort();
    await Promise.all(this.#running);
    return {
      skipped: ids.filter((id) => !this.#seen.has(id)).length,
      repeated: [...this.#seen.values()].filter((times) => times > 1).length,
      skippedBySequence: ids.filter((id) => !this.#bySequence.has(id)).length,
    };
  }

  async #follow(anyNode: () => RealServer): Promise<void> {
    let after = "";
    while (!this.#stop.signal.aborted) {
      const query = new URLSearchParams({ limit: "500", ...(after && { after }) });
      const answer = await Promise.race([
        anyNode()
          .ask("GET", `/events?${query}`)
          .catch(() => null),
        pause(8000, null),
      ]);
      if (answer?.status !== 200) {
        await pause(100);
        continue;
      }
      const page = recordOf(answer.json);
      const events = listOf(page, "events");
      for (const { id, kind, seq } of events) {
        if (kind !== "session") continue;
        const name = `${id} ${seq}`;
        this.#seen.set(name, (this.#seen.get(name) ?? 0) + 1);
      }
      if (typeof page.cursor === "string") after = page.cursor;
      if (events.length === 0) await pause(50);
    }
  }

  async #followBySequence(url: () => string): Promise<void> {
    let after = "0";
    while (!this.#stop.signal.aborted) {
      const client = new pg.Client({ connectionString: url() });
      client.on("error", () => {});
      try {
        await client.connect();
        while (!this.#stop.signal.aborted) {
          const { rows } = await client.query(BY_SEQUENCE, [after]);
          for (const { key, seq } of rows) this.#bySequence.add(`${key} ${seq}`);
          after = rows.at(-1)?.xid ?? after;
          if (rows.length === 0) await pause(5);
        }
      } catch {
        await pause(100);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }
}

const nameOf = ({ key, seq }: LoggedEvent) => `${key} ${seq}`;

const BY_SEQUENCE = `SELECT s.key, e.seq, e.xid::text AS xid FROM belay.events e JOIN belay.streams s ON s.sid = e.sid
  WHERE e.xid > $1::text::xid8 ORDER BY e.xid LIMIT 500`;
