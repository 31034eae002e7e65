import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Append, Idempotency, Outcome, Transaction } from "../stream-store.ts";
import { createStream } from "./create-stream.ts";
import { hashOfEvent } from "./digests.ts";
import { insertEvent } from "./event-log.ts";
import { findReplay, idemOf } from "./find-replay.ts";
import { insertPatchRow, readRows } from "./index-rows.ts";
import { insertNameRow } from "./named-places.ts";
import { insertHeadRow, isHeadDue } from "./stored-heads.ts";
import { type OpenStream, type WriteBatch, writeHead } from "./write-batch.ts";

/** Runs one decision on the streams as the batch has them, and writes what it returns. Throwing spoils the batch. */
export function runTransaction(batch: WriteBatch, transaction: Transaction): Outcome {
  const { streams, reads = [], idempotency } = transaction;
  const replay = idempotency && findReplay(batch, idempotency);
  if (replay) return replay;

  const open = streams.map((ref) => batch.load(ref));
  const decision = transaction.decide({
    streams: open.map((stream) => stream?.describe()),
    rows: reads.map(({ stream, query }) => {
      const row = open[stream]?.row;
      return row ? readRows(batch.db, row, query) : [];
    }),
  });
  if ("refused" in decision) return { kind: "refused", refusal: decision.refused };

  const bodies = decision.appends.map(({ events }) =>
    events.map(({ data }) => JSON.stringify(data) ?? "null"),
  );
  const refusal = refuseOversized(decision.appends, bodies);
  if (refusal) return { kind: "refused", refusal };
  rejectTwice(decision.appends);

  const kept = decision.appends.map((append, index) =>
    keepAppend(batch, append, bodies[index] ?? [], index === 0 ? idempotency : undefined),
  );
  return { kind: "committed", streams: kept.map((stream) => stream.describe()) };
}

function keepAppend(
  batch: WriteBatch,
  append: Append,
  bodies: readonly string[],
  idempotency: Idempotency | undefined,
): OpenStream {
  const { db } = batch;
  const stream = append.create
    ? createStream(batch, append.id, append.create, append.listing)
    : batch.load({ id: append.id });
  if (!stream) throw broken(`append to ${append.id}, which does not exist`);
  rejectMisnumbered(stream, append);

  const { sid, id, owner, seq: before } = stream.row;
  let { hash } = stream.row;
  let pos = 0;
  for (const [index, { seq, at, ...event }] of append.events.entries()) {
    const first = index === 0 ? idempotency : undefined;
    const body = bodies[index] ?? "null";
    const meta = {
      seq,
      at,
      type: event.type.toWellFormed(),
      actor: event.actor.toWellFormed(),
      interface: event.interface.toWellFormed(),
      trace_id: event.trace_id?.toWellFormed() ?? null,
      idem: first ? idemOf(first) : null,
      digest: first?.digest.toWellFormed() ?? null,
      span: first ? append.events.length : null,
    };
    hash = hashOfEvent(hash, id, meta, body);
    pos = batch.nextPosition();
    insertEvent(db, pos, { ...meta, sid, hash, origin: null, body });
    batch.bytes += body.length;
  }

  const seq = before + append.events.length;
  for (const { key, kind, data, ...row } of append.rows) {
    insertPatchRow(db, sid, {
      ...row,
      kind: kind.toWellFormed(),
      key: key?.toWellFormed() ?? null,
      data: JSON.stringify(data),
    });
  }
  for (const name of append.names) {
    insertNameRow(db, { owner, name: name.toWellFormed(), pos, sid, seq });
  }
  if (append.create || isHeadDue(before, seq)) {
    insertHeadRow(db, sid, { seq, head: writeHead(append.head) });
  }
  stream.advance({ ...stream.row, seq, hash, listing: wellFormed(append.listing) }, append.head);
  return stream;
}

/** As the database would hand the texts back. */
function wellFormed(listing: Append["listing"]): Append["listing"] {
  return {
    status: listing.status.toWellFormed(),
    phase: listing.phase.toWellFormed(),
    agent: listing.agent.toWellFormed(),
    interface: listing.interface.toWellFormed(),
    project: listing.project.toWellFormed(),
    task: listing.task.toWellFormed(),
    created: listing.created,
    activity: listing.activity,
  };
}

function refuseOversized(
  appends: readonly Append[],
  bodies: readonly (readonly string[])[],
): Refusal | undefined {
  const limit = LIMITS.BODY_BYTES;
  for (const [index, { id, events }] of appends.entries()) {
    for (const [nth, body] of (bodies[index] ?? []).entries()) {
      // Three bytes are the most that a character can take.
      if (body.length * 3 <= limit) continue;
      const bytes = Buffer.byteLength(body);
      if (bytes <= limit) continue;
      const message = `the body of an event has ${bytes} bytes, ${limit} are allowed`;
      return refuse("too_large", message, { id, seq: events[nth]?.seq, bytes, limit });
    }
  }
  return undefined;
}

function rejectTwice(appends: readonly Append[]): void {
  if (appends.length < 2) return;
  if (new Set(appends.map(({ id }) => id)).size === appends.length) return;
  throw broken("two appends to one stream");
}

function rejectMisnumbered({ row }: OpenStream, { id, events }: Append): void {
  if (events.length === 0) throw broken(`append to ${id} without events`);
  for (const [index, { seq }] of events.entries()) {
    const next = row.seq + index + 1;
    if (seq !== next) throw broken(`event ${seq} of ${id} where ${next} is next`);
  }
}

function broken(message: string): BelayError {
  return new BelayError(refuse("internal", message));
}
