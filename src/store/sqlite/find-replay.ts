import { refuseReusedKey } from "../append-rules.ts";
import type { Idempotency, Outcome } from "../stream-store.ts";
import { toInteger } from "./columns.ts";
import { checkEvent, EVENT_VALUES, hashBefore, readEventRow } from "./event-log.ts";
import { damaged } from "./storage-error.ts";
import type { WriteBatch } from "./write-batch.ts";

/** The answer that this key was given before. */
export function findReplay(batch: WriteBatch, idempotency: Idempotency): Outcome | undefined {
  const { db } = batch;
  const row = db.getValues(FIND, idemOf(idempotency));
  if (!row) return undefined;

  const stream = batch.loadBySid(toInteger(row[0], "sid", null))?.row;
  if (!stream) throw damaged(null, "the stream of an idempotency key is missing");
  const event = readEventRow(row, stream.id);
  checkEvent(event, stream.id, hashBefore(db, stream, event.seq), stream.id);

  if (event.digest !== idempotency.digest) {
    return { kind: "refused", refusal: refuseReusedKey(idempotency) };
  }
  const to = event.seq + (event.span ?? 1) - 1;
  return { kind: "replayed", id: stream.id, from: event.seq, to };
}

/** Scope and key in one text that no other pair makes. */
export function idemOf({ scope, key }: Idempotency): string {
  return JSON.stringify([scope, key]);
}

const FIND = `SELECT ${EVENT_VALUES} FROM events WHERE idem = ? AND origin IS NULL`;
