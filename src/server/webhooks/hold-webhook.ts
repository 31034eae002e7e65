import { refuse } from "../../contract/errors.ts";
import { identifyHolder } from "../../process/process-identity.ts";
import { startLeaseRenewal } from "../../service/start-lease-renewal.ts";
import { acquireLease } from "../../store/leases.ts";
import type { Lease, StreamStore } from "../../store/stream-store.ts";

/**
 * Runs `send` while this node holds the webhook's lease, until the signal or until the lease is lost. Returns false if
 * another node holds it. A data folder has one server, which needs no lease.
 */
export async function holdWebhook(
  store: StreamStore,
  id: string,
  signal: AbortSignal,
  send: (until: AbortSignal, epoch: number | null) => Promise<void>,
): Promise<boolean> {
  if (!store.nodes) {
    await send(signal, null);
    return true;
  }
  const grant = await acquireLease(store, id, identifyHolder(`webhooks (pid ${process.pid})`));
  if (!grant.granted) return false;
  const lost = new AbortController();
  const lease = startLeaseRenewal(store, id, grant, () => lost.abort());
  try {
    await send(AbortSignal.any([signal, lost.signal]), grant.epoch);
  } finally {
    await lease.release();
  }
  return true;
}

/** Refuses events of a node that has lost the lease of the webhook. */
export function refuseStale(epoch: number | null) {
  return (_: unknown, lease: Lease | null) => {
    if (epoch === null || (lease?.live && lease.epoch === epoch)) return null;
    return refuse("lease_lost", "Another node now sends to this webhook. Nothing was changed.", {
      epoch,
    });
  };
}
