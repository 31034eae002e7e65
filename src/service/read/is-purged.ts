import { BelayError } from "../../contract/errors.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";

/** True if a stream that was found was purged since: neither its id nor its key finds it. A damaged index would have to miss both. */
export async function isPurged(store: StreamStore, stream: StoredStream): Promise<boolean> {
  const { id, kind, owner, key } = stream;
  try {
    const found = await store.read([{ ref: { id } }, { ref: { kind, owner, key } }]);
    return found.every((part) => part?.stream.id !== id);
  } catch (error) {
    if (error instanceof BelayError) return false;
    throw error;
  }
}
