import { firstOwnSeq, segmentsWithin } from "../../log/lineage.ts";
import type { Finding } from "../../store-care.ts";
import type { Connection } from "../database/connection.ts";
import type { EventRow } from "../database/event-log.ts";
import { missingRows, OPENS } from "../database/opened-rows.ts";
import type { StreamRow } from "../database/stream-row.ts";
import { foundDamage, whatOf } from "./inspect-stream.ts";

/**
 * Checks that each event that opened an index row points to the previous one, and the stream to the
 * last.
 */
export class OpenedLinks {
  readonly #db: Connection;
  readonly #stream: StreamRow;
  readonly #last = new Map<string, number>();

  constructor(db: Connection, stream: StreamRow) {
    this.#db = db;
    this.#stream = stream;
  }

  /** Throws if an event points to a wrong previous one. */
  add({ seq, opens, opened }: EventRow): void {
    if (opens === null) return;
    const before = this.#lastOf(opens);
    this.#last.set(opens, seq);
    if (opened !== before) throw missingRows(this.#stream.id, opens);
  }

  /** Call after the last event. */
  *findings(): Generator<Finding> {
    const { id, opened } = this.#stream;
    for (const kind of new Set([...opened.keys(), ...this.#last.keys()])) {
      try {
        if ((opened.get(kind) ?? 0) !== this.#lastOf(kind)) throw missingRows(id, kind);
      } catch (error) {
        yield foundDamage(id, null, whatOf(error, `rows of kind ${kind}`));
      }
    }
  }

  #lastOf(kind: string): number {
    const own = this.#last.get(kind);
    if (own !== undefined) return own;
    const inherited = segmentsWithin(this.#stream, 1, firstOwnSeq(this.#stream) - 1);
    for (const { sid, from, to } of inherited.reverse()) {
      const row = this.#db.getValues(LAST_OPENED, sid, kind, from, to);
      if (row) return Number(row[0]);
    }
    return 0;
  }
}

const LAST_OPENED = `SELECT seq FROM events INDEXED BY events_by_seq WHERE sid = ? AND ${OPENS} AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1`;
