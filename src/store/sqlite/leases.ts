import { BelayError, refuse } from "../../contract/errors.ts";
import type { Holder, LeaseGrant } from "../stream-store.ts";
import type { WriteBatch } from "./write-batch.ts";

export function acquireLease(
  batch: WriteBatch,
  id: string,
  holder: Holder,
  isFree: (held: Holder) => boolean,
): LeaseGrant {
  const stream = batch.load({ id });
  if (!stream) {
    const message = "there is no such stream to lease";
    throw new BelayError(refuse("session_not_found", message, { id }));
  }
  const { epoch, holder: held } = stream.row;
  if (held && !isFree(held)) return { granted: false, held: { epoch, holder: held } };
  const { name, pid, start_time, boot_id } = holder;
  const kept = { name: name.toWellFormed(), pid, start_time, boot_id };
  stream.change({ ...stream.row, epoch: epoch + 1, holder: kept });
  return { granted: true, epoch: epoch + 1 };
}

/** The epoch stays, so that the next grant is above it. */
export function releaseLease(batch: WriteBatch, id: string, epoch: number): void {
  const stream = batch.load({ id });
  if (!stream?.row.holder || stream.row.epoch !== epoch) return;
  stream.change({ ...stream.row, holder: null });
}
