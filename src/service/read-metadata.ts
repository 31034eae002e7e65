import type { SessionHead } from "../contract/head.ts";
import { isRecord } from "../core/deep-equal.ts";
import type { StoredEvent, StreamStore } from "../store/stream-store.ts";

/** A session's metadata, with what is too large for its head read from its log. */
export async function readMetadata(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Promise<Record<string, unknown>> {
  const [metadata] = await readMetadataOf(store, [{ id, head }]);
  return metadata ?? {};
}

/** The same of many sessions, of the first ones where all have more than so many bytes; one read where there is any such value. */
export async function readMetadataOf(
  store: StreamStore,
  sessions: readonly { readonly id: string; readonly head: SessionHead }[],
  bytes = Number.POSITIVE_INFINITY,
): Promise<Record<string, unknown>[]> {
  const distant = sessions.flatMap(({ id, head: { metadata } }) =>
    Object.entries(metadata).flatMap(([key, held]) =>
      "value" in held ? [] : [{ id, key, seq: held.seq }],
    ),
  );
  const parts =
    distant.length === 0
      ? []
      : await store.readMany(
          distant.map(({ id, seq }) => ({
            ref: { id },
            events: [{ after: seq - 1, limit: 1 }],
          })),
          bytes,
        );
  // The first session is answered whole, so that nobody waits for it in vain.
  const unread = distant.slice(parts.length);
  const first = unread.filter(({ id }) => id === sessions[0]?.id);
  for (const { id, seq } of first) {
    parts.push(
      ...(await store.readMany([{ ref: { id }, events: [{ after: seq - 1, limit: 1 }] }])),
    );
  }
  const missing = new Set(unread.slice(first.length).map(({ id }) => id));
  const end = sessions.findIndex(({ id }) => missing.has(id));
  const answered = end < 0 ? sessions : sessions.slice(0, end);
  const read = new Map(
    distant.map(({ id, key }, n) => [`${id} ${key}`, valueIn(parts[n]?.events[0]?.[0], key)]),
  );
  return answered.map(({ id, head: { metadata } }) =>
    Object.fromEntries(
      Object.entries(metadata).map(([key, held]) => [
        key,
        "value" in held ? held.value : read.get(`${id} ${key}`),
      ]),
    ),
  );
}

function valueIn(event: StoredEvent | undefined, key: string): unknown {
  const data = isRecord(event?.data) ? event.data.metadata : undefined;
  return isRecord(data) ? data[key] : undefined;
}
