import { BelayError, refuse } from "../contract/errors.ts";
import type { GrantedLease, Holder, Lease, StreamStore } from "./stream-store.ts";

type LeaseGrant = GrantedLease | { readonly granted: false; readonly held: Lease };

export async function acquireLease(
  store: StreamStore,
  id: string,
  holder: Holder,
  force = false,
): Promise<LeaseGrant> {
  const answer = await store.lease(id, { acquire: holder, force });
  if (answer.granted) return answer;
  const { held } = answer;
  if (held) return { granted: false, held };
  throw new BelayError(refuse("internal", "The store refused a lease that is free.", { id }));
}

/** Returns false if another holder has acquired the lease. */
export async function renewLease(store: StreamStore, id: string, epoch: number): Promise<boolean> {
  return (await store.lease(id, { renew: epoch })).granted;
}

export async function releaseLease(store: StreamStore, id: string, epoch: number): Promise<void> {
  await store.lease(id, { release: epoch });
}
