import { renewLease } from "../store/leases.ts";
import type { GrantedLease, StreamStore } from "../store/stream-store.ts";

/**
 * Renews a lease until it is stopped, so that processes that cannot check this one know it lives. `onLost` is called
 * once if another holder has acquired the lease.
 */
export function keepLease(
  store: StreamStore,
  id: string,
  { epoch, renew_within }: GrantedLease,
  onLost: () => void = () => {},
): () => void {
  const renew = async (): Promise<void> => {
    // A failed renewal may work next time, and every other write reports the problem.
    if (await renewLease(store, id, epoch).catch(() => true)) return;
    clearInterval(timer);
    onLost();
  };
  const timer = setInterval(() => void renew(), renew_within / 3).unref();
  return () => clearInterval(timer);
}
