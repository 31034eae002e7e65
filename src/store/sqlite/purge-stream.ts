import { fromHex, integerIn, textIn, textOrNullIn } from "./columns.ts";
import { hashBefore } from "./event-log.ts";
import { readLineage } from "./lineage.ts";
import type { StreamRow } from "./stream-row.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Deletes a stream's own log but for what forks share, and what was left of streams that no fork needs any more. */
export function purgeStream(batch: WriteBatch, id: string, at: number): void {
  const row = batch.load({ id })?.row;
  if (!row || row.kind === "purged") return;
  batch.db.run(BURY, id, row.seq, fromHex(row.hash), at);
  reduce(batch, row);
  for (const rest of batch.db.all(REMAINS)) {
    const remains = batch.loadBySid(integerIn(rest, "sid", null))?.row;
    if (remains) reduce(batch, remains);
  }
}

function reduce(batch: WriteBatch, row: StreamRow): void {
  const { db } = batch;
  const { sid, id } = row;
  const seq = sharedUpTo(batch, row);
  if (row.kind === "purged" && seq === row.seq) return;
  const hash = seq === 0 ? "" : hashBefore(db, row, seq + 1);
  for (const table of ["events", "rows", "heads"]) {
    db.run(`DELETE FROM ${table} WHERE sid = ? AND seq > ?`, sid, seq);
  }
  db.run("DELETE FROM names WHERE sid = ?", sid);
  batch.replace(
    row,
    seq === 0
      ? null
      : { ...row, kind: "purged", key: id, seq, hash, holder: null, listing: UNLISTED, head: "null" },
  );
}

/** The last of a stream's own events that another stream's log runs through; 0 if none does. */
function sharedUpTo({ db }: WriteBatch, { sid }: StreamRow): number {
  let upto = 0;
  for (const fork of db.all(FORKS)) {
    const lineage = readLineage(textOrNullIn(fork, "lineage", null), textIn(fork, "id", null));
    for (const ancestor of lineage) {
      if (ancestor.sid === sid) upto = Math.max(upto, ancestor.upto);
    }
  }
  return upto;
}

const UNLISTED = {
  status: "",
  phase: "",
  agent: "",
  interface: "",
  project: "",
  task: "",
  waiting: 0,
  created: 0,
  activity: 0,
};

const BURY = "INSERT INTO tombstones (id, seq, hash, at) VALUES (?, ?, ?, ?)";
const FORKS = "SELECT id, lineage FROM streams WHERE lineage IS NOT NULL";
const REMAINS = "SELECT sid FROM streams WHERE kind = 'purged'";
