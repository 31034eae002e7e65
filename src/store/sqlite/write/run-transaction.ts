import {
  type CheckedAppend,
  checkAppends,
  refuseReusedKey,
  runDecision,
} from "../../append-rules.ts";
import { hashEvent, idemOf, metaOf } from "../../log/hash-event.ts";
import { isHeadDue } from "../../log/is-head-due.ts";
import type { Idempotency, Outcome, StoredStream, Transaction } from "../../stream-store.ts";
import { toInteger } from "../database/columns.ts";
import {
  checkEvent,
  EVENT_VALUES,
  hashBefore,
  insertEvent,
  readEventRow,
} from "../database/event-log.ts";
import { insertPatchRow } from "../database/index-rows.ts";
import { KeptHead } from "../database/kept-head.ts";
import { insertNameRow } from "../database/named-places.ts";
import { damaged } from "../database/storage-error.ts";
import { insertHeadRow } from "../database/stored-heads.ts";
import { toStoredStream } from "../database/stream-row.ts";
import { readRows } from "../read/read-rows.ts";
import { createStream } from "./create-stream.ts";
import type { WriteBatch } from "./write-batch.ts";

/**
 * Runs one decision on the streams of the batch and writes its result. If it throws, the batch is
 * rolled back.
 */
export function runTransaction(batch: WriteBatch, transaction: Transaction): Outcome {
  const { streams, reads = [], idempotency } = transaction;
  const replay = idempotency && findReplay(batch, idempotency);
  if (replay) return replay;

  const open = streams.map((ref) => batch.load(ref)?.row);
  const before = {
    streams: open.map((row) => row && toStoredStream(row, batch.clock)),
    rows: reads.map(({ stream, query }) => {
      const row = open[stream];
      return row ? readRows(batch.db, row, query) : [];
    }),
  };
  const decided = runDecision(transaction, before, (ref) => {
    const row = batch.load(ref)?.row;
    return row && toStoredStream(row, batch.clock);
  });
  const { verdict } = decided;
  if ("refused" in verdict) return { kind: "refused", refusal: verdict.refused };

  const result = checkAppends(verdict.appends, {
    streams: decided.streams,
    loaded: decided.loaded,
    idempotency,
    hasStream: (id) => batch.load({ id }) !== undefined,
    wasPurged: (id) => batch.db.get(TOMBSTONE, id) !== undefined,
    declared: batch.columns.declared,
    limits: batch.limits,
    undoes: true,
  });
  if ("refused" in result) return { kind: "refused", refusal: result.refused };
  const kept = result.checked.map((checked, index) =>
    insertAppend(batch, checked, index === 0 ? idempotency : undefined),
  );
  return { kind: "committed", streams: kept };
}

const TOMBSTONE = "SELECT id FROM tombstones WHERE id = ?";

function insertAppend(
  batch: WriteBatch,
  { append, bodies, patches }: CheckedAppend,
  idempotency: Idempotency | undefined,
): StoredStream {
  const { db } = batch;
  const { id, create } = append;
  const listing = batch.columns.toColumns(append.listing);
  const stream = create ? createStream(batch, id, create, listing) : batch.load({ id });
  if (!stream) throw damaged(id, "it was loaded and is not there");
  const { sid, owner, seq: before } = stream.row;

  let { hash, opened } = stream.row;
  let pos = 0;
  for (const [index, event] of append.events.entries()) {
    const { seq, row } = event;
    const first = index === 0 ? idempotency : undefined;
    const body = bodies[index] ?? "null";
    const last = row ? (opened.get(row.kind) ?? 0) : null;
    const meta = { ...metaOf(event, first, append.events.length), opened: last };
    hash = hashEvent(hash, id, meta, body);
    pos = batch.nextPosition();
    insertEvent(db, pos, sid, id, meta, hash, body);
    batch.bytes += body.length;
    if (row) opened = new Map(opened).set(row.kind, seq);
  }

  const seq = before + append.events.length;
  // The other patches are stored as events.
  for (const patch of patches.slice(0, append.rows.length)) insertPatchRow(db, sid, patch);
  for (const name of append.names) insertNameRow(db, { owner, name, pos, sid, seq });
  const head = KeptHead.decided(append.head, id, stream.row.head);
  if (isHeadDue(before, seq)) insertHeadRow(db, sid, { seq, head: head.content });
  stream.replace({ ...stream.row, seq, hash, opened, listing, head });
  return toStoredStream(stream.row, batch.clock, append.head);
}

/** The earlier answer to this key. */
function findReplay(batch: WriteBatch, idempotency: Idempotency): Outcome | undefined {
  const { db } = batch;
  const row = db.getValues(FIND, idemOf(idempotency));
  if (!row) return undefined;

  const stream = batch.loadBySid(toInteger(row[0], "sid", null))?.row;
  if (!stream) throw damaged(null, "the stream of an idempotency key is missing");
  const event = readEventRow(row, stream.id);
  checkEvent(event, stream.id, stream.id, () => hashBefore(db, stream, event.seq));

  if (event.digest !== idempotency.digest) {
    return { kind: "refused", refusal: refuseReusedKey(idempotency) };
  }
  const to = event.seq + (event.span ?? 1) - 1;
  return { kind: "replayed", id: stream.id, from: event.seq, to };
}

const FIND = `SELECT ${EVENT_VALUES} FROM events WHERE idem = ? AND origin IS NULL`;
