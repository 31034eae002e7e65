import { BelayError, refuse } from "../../contract/errors.ts";
import type { Append, Idempotency, Outcome, StoredStream, Transaction } from "../stream-store.ts";
import { createStream } from "./create-stream.ts";
import { hashOfEvent } from "./digests.ts";
import { insertEvent } from "./event-log.ts";
import { findReplay, idemOf } from "./find-replay.ts";
import { insertPatchRow } from "./index-rows.ts";
import { insertNameRow } from "./named-places.ts";
import { readRows } from "./read-rows.ts";
import { refuseContent } from "./refuse-content.ts";
import { rejectMisnumbered, rejectTwice, rejectUndeclared } from "./reject-appends.ts";
import { insertHeadRow, isHeadDue } from "./stored-heads.ts";
import { toStoredStream } from "./stream-row.ts";
import type { WriteBatch } from "./write-batch.ts";

/** Runs one decision on the streams as the batch has them, and writes what it returns. Throwing spoils the batch. */
export function runTransaction(batch: WriteBatch, transaction: Transaction): Outcome {
  const { streams, reads = [], idempotency } = transaction;
  const replay = idempotency && findReplay(batch, idempotency);
  if (replay) return replay;

  const open = streams.map((ref) => batch.load(ref)?.row);
  const decision = transaction.decide({
    streams: open.map((row) => row && toStoredStream(row, batch.clock)),
    rows: reads.map(({ stream, query }) => {
      const row = open[stream];
      return row ? readRows(batch.db, row, query) : [];
    }),
  });
  if ("refused" in decision) return { kind: "refused", refusal: decision.refused };

  const { appends } = decision;
  const bodies = appends.map(({ events }) => events.map(({ data }) => writeJson(data)));
  const refusal = refuseContent(appends, bodies, idempotency);
  if (refusal) return { kind: "refused", refusal };
  rejectUndeclared(streams, open, appends);
  rejectTwice(appends);
  if (idempotency && appends.length === 0) {
    throw new BelayError(refuse("internal", "an idempotency key for no append"));
  }

  const kept = appends.map((append, index) =>
    keepAppend(batch, append, bodies[index] ?? [], index === 0 ? idempotency : undefined),
  );
  return { kind: "committed", streams: kept };
}

function keepAppend(
  batch: WriteBatch,
  append: Append,
  bodies: readonly string[],
  idempotency: Idempotency | undefined,
): StoredStream {
  const { db } = batch;
  const { id, create, listing } = append;
  const stream = create ? createStream(batch, id, create, listing) : batch.load({ id });
  if (!stream) throw new BelayError(refuse("internal", `append to ${id}, which does not exist`));
  const { sid, owner, seq: before } = stream.row;
  rejectMisnumbered(append, before);

  let { hash } = stream.row;
  let pos = 0;
  for (const [index, event] of append.events.entries()) {
    const { seq, type, at, actor, trace_id } = event;
    const first = index === 0 ? idempotency : undefined;
    const body = bodies[index] ?? "null";
    const meta = {
      seq,
      type,
      at,
      actor,
      interface: event.interface,
      trace_id,
      idem: first ? idemOf(first) : null,
      digest: first?.digest ?? null,
      span: first ? append.events.length : null,
    };
    hash = hashOfEvent(hash, id, meta, body);
    pos = batch.nextPosition();
    insertEvent(db, pos, sid, meta, hash, body);
    batch.bytes += body.length;
  }

  const seq = before + append.events.length;
  for (const row of append.rows) {
    insertPatchRow(db, sid, { ...row, data: JSON.stringify(row.data) });
  }
  for (const name of append.names) insertNameRow(db, { owner, name, pos, sid, seq });
  const head = writeJson(append.head);
  if (isHeadDue(before, seq)) insertHeadRow(db, sid, { seq, head });
  stream.change({ seq, hash, listing, head });
  return toStoredStream(stream.row, batch.clock, append.head);
}

function writeJson(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
