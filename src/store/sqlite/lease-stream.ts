import { BelayError, refuse } from "../../contract/errors.ts";
import { LEASE_MS } from "../lease-time.ts";
import type { Holder, LeaseAnswer, LeaseRequest } from "../stream-store.ts";
import { leaseOf } from "./stream-row.ts";
import type { WriteBatch } from "./write-batch.ts";

export function leaseStream(batch: WriteBatch, id: string, request: LeaseRequest): LeaseAnswer {
  if ("acquire" in request) return acquire(batch, id, request.acquire, request.force ?? false);
  const stream = batch.load({ id });
  const epoch = "renew" in request ? request.renew : request.release;
  if (!stream?.row.holder || stream.row.epoch !== epoch) {
    return { granted: false, held: stream ? leaseOf(stream.row, batch.clock) : null };
  }
  if ("release" in request) {
    // The epoch stays, so that the next grant is above it.
    stream.change({ holder: null });
    return { granted: false, held: null };
  }
  stream.change({ holder: { ...stream.row.holder, renewed: batch.clock.now() } });
  return { granted: true, epoch, renew_within: LEASE_MS };
}

function acquire(batch: WriteBatch, id: string, holder: Holder, force: boolean): LeaseAnswer {
  const stream = batch.load({ id });
  if (!stream) {
    const message = "there is no such stream to lease";
    throw new BelayError(refuse("session_not_found", message, { id }));
  }
  const { row } = stream;
  const held = leaseOf(row, batch.clock);
  if (held?.live && !force) return { granted: false, held };
  const epoch = row.epoch + 1;
  const { name, pid, start_time, boot_id, node } = holder;
  const kept = { name, pid, start_time, boot_id, ...(node !== undefined && { node }) };
  stream.change({ epoch, holder: { ...kept, renewed: batch.clock.now() } });
  return { granted: true, epoch, renew_within: LEASE_MS };
}
