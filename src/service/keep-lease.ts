import { renewLease } from "../store/leases.ts";
import type { GrantedLease, StreamStore } from "../store/stream-store.ts";

/**
 * Renews a lease until it is stopped: those who cannot look at this process see by it that it lives. `onLost` is called
 * once when the lease has passed to another.
 */
export function keepLease(
  store: StreamStore,
  id: string,
  { epoch, renew_within }: GrantedLease,
  onLost: () => void = () => {},
): () => void {
  const renew = async (): Promise<void> => {
    // A store that cannot be written now may be the next time, and every other write says so.
    if (await renewLease(store, id, epoch).catch(() => true)) return;
    clearInterval(timer);
    onLost();
  };
  const timer = setInterval(() => void renew(), renew_within / 3).unref();
  return () => clearInterval(timer);
}
