import { BelayError, refuse } from "../../contract/errors.ts";
import { LEASE_MS } from "../lease-time.ts";
import type { Holder, LeaseGrant } from "../stream-store.ts";
import { leaseOf } from "./stream-row.ts";
import type { WriteBatch } from "./write-batch.ts";

export function acquireLease(
  batch: WriteBatch,
  id: string,
  holder: Holder,
  force: boolean,
): LeaseGrant {
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

export function renewLease(batch: WriteBatch, id: string, epoch: number): boolean {
  const stream = batch.load({ id });
  if (!stream?.row.holder || stream.row.epoch !== epoch) return false;
  stream.change({ holder: { ...stream.row.holder, renewed: batch.clock.now() } });
  return true;
}

/** The epoch stays, so that the next grant is above it. */
export function releaseLease(batch: WriteBatch, id: string, epoch: number): void {
  const stream = batch.load({ id });
  if (!stream?.row.holder || stream.row.epoch !== epoch) return;
  stream.change({ holder: null });
}
