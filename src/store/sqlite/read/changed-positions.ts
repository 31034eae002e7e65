import { integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { lastPosition } from "../database/positions.ts";

/** Finds the streams that other processes have changed, by the positions of their events. */
export class ChangedPositions {
  readonly #db: Connection;
  #last = 0;

  constructor(db: Connection) {
    this.#db = db;
  }

  readVersion(): number {
    return integerIn(this.#db.get("PRAGMA data_version") ?? {}, "data_version", null);
  }

  start(): void {
    this.#last = lastPosition(this.#db);
  }

  /** Null after a commit without events, such as a purge, and after very many events. */
  readChanges(): Map<string, number> | null {
    return this.#db.snapshot(() => {
      const from = this.#last;
      this.start();
      if (this.#last - from > MOST) return null;
      const rows = this.#db.all(CHANGED, from);
      if (rows.length === 0) return null;
      return new Map(rows.map((row) => [textIn(row, "id", null), integerIn(row, "seq", null)]));
    });
  }
}

/** Reading more would keep everyone else waiting. */
const MOST = 1000;
const CHANGED = `SELECT s.id, max(e.seq) AS seq FROM events e NOT INDEXED LEFT JOIN streams s USING (sid)
  WHERE e.pos > ? AND e.origin IS NULL GROUP BY e.sid`;
