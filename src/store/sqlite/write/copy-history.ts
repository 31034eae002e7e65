import type { Lineage } from "../../log/lineage.ts";
import { integerIn } from "../database/columns.ts";
import { EVENT_COLUMNS } from "../database/event-log.ts";
import { insertPatchRow, PATCH_VALUES, readPatchRow } from "../database/index-rows.ts";
import { damaged } from "../database/storage-error.ts";
import { HEAD_VALUES, insertHeadRow, readHeadRow } from "../database/stored-heads.ts";
import type { WriteBatch } from "./write-batch.ts";

/**
 * Gives a stream its own copy of everything it inherits. Events keep their hashes, which cover the
 * name of the original stream and the idempotency key. The key still belongs to the original.
 */
export function copyHistory(
  batch: WriteBatch,
  sid: number,
  parent: string,
  lineage: Lineage,
): void {
  const { db } = batch;
  const total = lineage.at(-1)?.upto ?? 0;
  const offset = batch.nextPosition(total) - total;
  let copied = 0;
  for (const { sid: from, upto } of lineage) {
    const writer = batch.loadBySid(from)?.row.id;
    if (writer === undefined) throw damaged(parent, "a stream that it continues is missing");
    db.run(COPY_EVENTS, offset, sid, writer, from, copied + 1, upto);
    copied = upto;
    for (const row of db.allValues(ROWS, from, upto)) {
      insertPatchRow(db, sid, readPatchRow(row, from, parent));
    }
    for (const row of db.allValues(HEADS, from, upto)) {
      insertHeadRow(db, sid, readHeadRow(row, from, parent));
    }
    db.run(HOLD_BLOBS, sid, from, upto);
  }
  const count = integerIn(db.get(COUNT, sid) ?? {}, "n", parent);
  if (count !== total)
    throw damaged(parent, `${total - count} of its first ${total} events are missing`);
}

const COPIED = EVENT_COLUMNS.split(", ")
  .slice(1)
  .map((column) => (column === "origin" ? "coalesce(origin, ?3)" : column))
  .join(", ");
const COPY_EVENTS = `INSERT INTO events (pos, ${EVENT_COLUMNS})
  SELECT ?1 + seq, ?2, ${COPIED} FROM events WHERE sid = ?4 AND seq BETWEEN ?5 AND ?6 ORDER BY seq`;
const COUNT = "SELECT count(*) AS n FROM events WHERE sid = ?";
const ROWS = `SELECT ${PATCH_VALUES} FROM rows WHERE sid = ? AND seq <= ?`;
const HOLD_BLOBS = `INSERT OR IGNORE INTO blob_holders (sid, bid, seq)
  SELECT ?, bid, seq FROM blob_holders WHERE sid = ? AND seq < ?`;
const HEADS = `SELECT ${HEAD_VALUES} FROM heads WHERE sid = ? AND seq <= ?`;
