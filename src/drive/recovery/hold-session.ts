import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { identifyHolder } from "../../process/process-identity.ts";
import { startLeaseRenewal } from "../../service/start-lease-renewal.ts";
import { acquireLease } from "../../store/leases.ts";
import type { DriveContext } from "./drive-context.ts";

/** Does the work under the session's lease, so that other processes see it and notice if this process dies. */
export async function holdSession<T>(
  { store }: DriveContext,
  id: string,
  head: SessionHead,
  work: (epoch: number) => Promise<T>,
  force = false,
): Promise<T> {
  const holder = identifyHolder(`recovery (pid ${process.pid})`);
  const grant = await acquireLease(store, id, holder, force);
  if (!grant.granted) throw held(head, grant.held.holder.name);
  const lease = startLeaseRenewal(store, id, grant);
  try {
    return await work(grant.epoch);
  } finally {
    await lease.release();
  }
}

export function held(head: SessionHead, name: string): BelayError {
  const message = `${head.session_id} is run by ${name}, so there is nothing to recover. If that process hangs, recover with "force".`;
  return new BelayError(refuse("session_held", message, { session_id: head.session_id }));
}
