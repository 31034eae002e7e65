import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { StatusTally } from "../../stream-store.ts";
import { integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";

/** From two indexes: one has every stream and no more than is counted, the other leads to the few where something waits. */
export function tallyStreams(db: Connection, kind: StreamKind, owner: string): StatusTally[] {
  const waiting = new Map(
    db
      .all(WAITING, kind, owner)
      .map((row) => [textIn(row, "status", null), integerIn(row, "waiting", null)]),
  );
  return db.all(STREAMS, kind, owner).map((row) => {
    const status = textIn(row, "status", null);
    return { status, streams: integerIn(row, "streams", null), waiting: waiting.get(status) ?? 0 };
  });
}

const STREAMS = `SELECT status, count(*) AS streams FROM streams INDEXED BY streams_by_status
  WHERE kind = ? AND owner = ? GROUP BY status`;

const WAITING = `SELECT status, sum(waiting) AS waiting FROM streams INDEXED BY streams_waiting
  WHERE kind = ? AND owner = ? AND waiting > 0 GROUP BY status`;
