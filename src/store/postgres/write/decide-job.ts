import type { ListingDeclaration } from "../../../contract/stream.ts";
import { type ContentLimits, checkAppends, refuseReusedKey } from "../../append-rules.ts";
import type { Outcome, StreamRef, Transaction } from "../../stream-store.ts";
import type { SqlSession } from "../database/database.ts";
import type { StreamRow } from "../database/stream-row.ts";
import { readRows } from "../read/read-rows.ts";
import type { WriteBatch } from "./write-batch.ts";

/**
 * Runs one decision on the streams of the batch, and adds its result to the batch. Null if it must wait for the next
 * batch: rows are read from the database, which does not have this batch's changes.
 */
export async function decideJob(
  batch: WriteBatch,
  session: SqlSession,
  transaction: Transaction,
  declared: ListingDeclaration,
  limits: ContentLimits | undefined,
): Promise<Outcome | null> {
  const { idempotency, reads = [] } = transaction;
  const answered = idempotency && batch.answerOf(idempotency);
  if (answered) {
    if (answered.digest !== idempotency.digest) {
      return { kind: "refused", refusal: refuseReusedKey(idempotency) };
    }
    const { id, from, to } = answered;
    return { kind: "replayed", id, from, to };
  }

  const streams: StreamRef[] = [...transaction.streams];
  const found = streams.map((ref) => batch.find(ref));
  if (reads.some(({ stream }) => isChanged(batch, found[stream]))) return null;
  const rows = [];
  for (const { stream, query } of reads) {
    const row = found[stream];
    rows.push((row && (await readRows(session, row, [query]))[0]) ?? []);
  }
  const loaded = found.map((row) => row && batch.describe(row));
  let verdict = transaction.decide({ streams: loaded, rows });
  if ("load" in verdict) {
    await batch.load([verdict.load]);
    const more = batch.find(verdict.load);
    streams.push(verdict.load);
    loaded.push(more && batch.describe(more));
    verdict = verdict.decide(loaded.at(-1));
  }
  if ("refused" in verdict) return { kind: "refused", refusal: verdict.refused };

  const result = checkAppends(verdict.appends, {
    streams,
    loaded,
    idempotency,
    hasStream: (id) => batch.find({ id }) !== undefined,
    wasPurged: (id) => batch.wasPurged(id),
    declared,
    limits,
  });
  if ("refused" in result) return { kind: "refused", refusal: result.refused };
  return { kind: "committed", streams: await batch.add(result.checked, idempotency) };
}

function isChanged(batch: WriteBatch, row: StreamRow | undefined): boolean {
  return row !== undefined && batch.isChanged(row);
}
