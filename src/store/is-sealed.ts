import type { StreamStore } from "./stream-store.ts";

/** The owner of the streams of a key ring. */
export const RING_OWNER = "belay-keys";
/** The name of the ring's own entry. */
export const RING_ENTRY = "store";

/** True if the contents of this store are encrypted. The store must have been opened without a key. */
export async function isSealed(store: StreamStore): Promise<boolean> {
  return (await store.findByName(RING_OWNER, RING_ENTRY, { limit: 1 })).length > 0;
}
