import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { Tally } from "../../stream-store.ts";
import { integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";

/**
 * Uses two indexes: one covers every stream and just the counted column, the other has the few
 * streams with something to sum.
 */
export function tallyStreams(db: Connection, kind: StreamKind, owner: string): Tally[] {
  const sums = new Map(
    db
      .all(WAITING, kind, owner)
      .map((row) => [textIn(row, "status", null), integerIn(row, "waiting", null)]),
  );
  return db.all(STREAMS, kind, owner).map((row) => {
    const value = textIn(row, "status", null);
    return { value, streams: integerIn(row, "streams", null), sum: sums.get(value) ?? 0 };
  });
}

const STREAMS = `SELECT status, count(*) AS streams FROM streams INDEXED BY streams_by_status
  WHERE kind = ? AND owner = ? GROUP BY status`;

const WAITING = `SELECT status, sum(waiting) AS waiting FROM streams INDEXED BY streams_waiting
  WHERE kind = ? AND owner = ? AND waiting > 0 GROUP BY status`;
