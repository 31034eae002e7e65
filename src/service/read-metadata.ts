import type { SessionHead } from "../contract/head.ts";
import { isRecord } from "../core/deep-equal.ts";
import type { StreamStore } from "../store/stream-store.ts";

/** A session's metadata, with what is too large for its head read from its log. */
export async function readMetadata(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Promise<Record<string, unknown>> {
  const metadata: Record<string, unknown> = {};
  for (const [key, held] of Object.entries(head.metadata)) {
    metadata[key] = "value" in held ? held.value : await readValue(store, id, held.seq, key);
  }
  return metadata;
}

async function readValue(
  store: StreamStore,
  id: string,
  seq: number,
  key: string,
): Promise<unknown> {
  const [event] = await store.readEvents(id, { after: seq - 1, limit: 1 });
  const data = isRecord(event?.data) ? event.data.metadata : undefined;
  return isRecord(data) ? data[key] : undefined;
}
