import { UNLISTED } from "../../../contract/stream.ts";
import { dropBlobsAfter } from "../blobs/sqlite-blobs.ts";
import { fromHex, integerOrNullIn } from "../database/columns.ts";
import { hashBefore } from "../database/event-log.ts";
import { KeptHead } from "../database/kept-head.ts";
import { openedUpTo } from "../database/opened-rows.ts";
import type { StreamRow } from "../database/stream-row.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Deletes a stream except for the events that forks share, and leaves a tombstone. With `only`, only at this seq. */
export function purgeStream(batch: WriteBatch, id: string, at: number, only?: number): void {
  // The forks that this batch created must be in the database.
  batch.flush();
  const row = batch.load({ id })?.row;
  if (!row || (only ?? row.seq) !== row.seq) return;
  batch.db.run(BURY, id, row.seq, fromHex(row.hash), at);
  reduce(batch, row);
}

/**
 * Deletes everything that no fork needs. If that is all, the parts of its ancestors that only this
 * stream needed are deleted too.
 */
function reduce(batch: WriteBatch, row: StreamRow): void {
  const { db } = batch;
  const { sid, id, lineage } = row;
  const seq = integerOrNullIn(db.get(SHARED, sid) ?? {}, "upto", id) ?? 0;
  if (row.kind === "purged" && seq === row.seq) return;

  const hash = seq === 0 ? "" : hashBefore(db, row, seq + 1);
  const opened = openedUpTo(db, row, seq);
  for (const table of ["events", "rows", "heads"]) {
    db.run(`DELETE FROM ${table} WHERE sid = ? AND seq > ?`, sid, seq);
  }
  db.run("DELETE FROM names WHERE sid = ?", sid);
  dropBlobsAfter(db, sid, seq);
  if (seq > 0) {
    db.run(FORGET_KEYS, id, sid);
    const head = KeptHead.stored("null", id);
    const left = { seq, hash, opened, holder: null, listing: UNLISTED, head };
    batch.replace(row, { ...row, kind: "purged", key: id, ...left });
    return;
  }
  batch.replace(row, null);
  const parent = lineage.at(-1);
  const remains = parent && batch.loadBySid(parent.sid)?.row;
  if (remains?.kind === "purged") reduce(batch, remains);
}

const BURY = "INSERT INTO tombstones (id, seq, hash, at) VALUES (?, ?, ?, ?)";

/** As in a copy, a key only counts if the event is the stream's own. */
const FORGET_KEYS =
  "UPDATE events SET origin = ? WHERE sid = ? AND idem IS NOT NULL AND origin IS NULL";

/**
 * Only streams whose nearest ancestor is this one count: one that points past another needs no more
 * than that one.
 */
const SHARED = `SELECT max(json_extract(lineage, '$[#-1][1]')) AS upto FROM streams
  WHERE lineage IS NOT NULL AND json_extract(lineage, '$[#-1][0]') = ?`;
