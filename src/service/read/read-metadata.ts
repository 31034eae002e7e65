import { BelayError, refuse } from "../../contract/errors.ts";
import type { Held, SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { METADATA_ROW } from "../../core/session/metadata.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StoredEvent, StreamStore } from "../../store/stream-store.ts";
import { sessionNotFound } from "./find-session.ts";

/** A session's metadata, with large values read from its log. Most heads have all values; then it is no promise. */
export function readMetadata(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  return holdsMetadata(head) ? valuesOf(head.metadata) : readDistant(store, id, head);
}

async function readDistant(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Promise<Record<string, unknown>> {
  const [metadata] = await readMetadataOf(store, [{ id, head }]);
  if (!metadata) throw new BelayError(sessionNotFound(head.session_id));
  return metadata;
}

/**
 * The same for many sessions; only for the first ones if they have too many bytes. It needs at most one read. Null for a
 * session that was purged since its head was read.
 */
export async function readMetadataOf(
  store: StreamStore,
  sessions: readonly { readonly id: string; readonly head: SessionHead }[],
  bytes = Number.POSITIVE_INFINITY,
): Promise<(Record<string, unknown> | null)[]> {
  if (sessions.every(({ head }) => holdsMetadata(head))) {
    return sessions.map(({ head }) => valuesOf(head.metadata));
  }
  const placed = await readPlaced(store, sessions, bytes);
  // One event may hold the values of many keys.
  const distant = placed.flatMap(({ id, metadata }) => {
    const seqs = Object.values(metadata ?? {}).flatMap((held) =>
      "value" in held ? [] : [held.seq],
    );
    return [...new Set(seqs)].map((seq) => ({ id, seq }));
  });
  const parts =
    distant.length === 0
      ? []
      : await readParts(
          store,
          distant.map(({ id, seq }) => ({
            ref: { id },
            events: [{ after: seq - 1, limit: 1 }],
          })),
          bytes,
        );
  // The first session is always complete, so that paging never gets stuck.
  const unread = distant.slice(parts.length);
  const first = unread.filter(({ id }) => id === sessions[0]?.id);
  for (const { id, seq } of first) {
    parts.push(
      ...(await readParts(store, [{ ref: { id }, events: [{ after: seq - 1, limit: 1 }] }])),
    );
  }
  const missing = new Set(unread.slice(first.length).map(({ id }) => id));
  const end = placed.findIndex(({ id }) => missing.has(id));
  const answered = end < 0 ? placed : placed.slice(0, end);
  const read = new Map(distant.map(({ id, seq }, n) => [`${id} ${seq}`, parts[n]?.events[0]?.[0]]));
  const purged = new Set(distant.filter((_, n) => !parts[n]).map(({ id }) => id));
  return answered.map(({ id, metadata }) =>
    metadata && !purged.has(id)
      ? valuesOf(metadata, (key, seq) => valueIn(read.get(`${id} ${seq}`), key))
      : null,
  );
}

/** True if the head itself has every value, so that nothing else needs to be read. */
export function holdsMetadata({ metadata, metadata_row }: SessionHead): boolean {
  if (metadata_row !== undefined) return false;
  for (const key in metadata) if (metadata[key] && !("value" in metadata[key])) return false;
  return true;
}

function valuesOf(
  metadata: SessionHead["metadata"],
  distant: (key: string, seq: number) => unknown = () => undefined,
): Record<string, unknown> {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return {};
  return Object.fromEntries(
    entries.map(([key, held]) => [key, "value" in held ? held.value : distant(key, held.seq)]),
  );
}

/** All keys of the first sessions, including those outside their heads. It needs at most one read. */
async function readPlaced(
  store: StreamStore,
  sessions: readonly { readonly id: string; readonly head: SessionHead }[],
  bytes: number,
): Promise<Placed[]> {
  const reads = sessions.flatMap(({ id, head: { metadata_row: place } }) =>
    place === undefined
      ? []
      : [{ ref: { id }, rows: [{ kind: METADATA_ROW, after: place - 1, limit: 1 }] }],
  );
  const parts = reads.length === 0 ? [] : await readParts(store, reads, bytes);
  const found = new Map(parts.map((part, n) => [reads[n]?.ref.id, part]));
  const placed: Placed[] = [];
  for (const { id, head } of sessions) {
    if (head.metadata_row !== undefined && !found.has(id)) break;
    const part = found.get(id);
    if (head.metadata_row !== undefined && !part) {
      placed.push({ id, metadata: null });
      continue;
    }
    const row = part?.rows[0]?.[0];
    if (head.metadata_row !== undefined && row?.place !== head.metadata_row) {
      throw new BelayError(damagedMetadata(head.session_id));
    }
    const beside = Object.entries(row?.data ?? {}).filter(isHeldEntry);
    placed.push({ id, metadata: { ...Object.fromEntries(beside), ...head.metadata } });
  }
  return placed;
}

/** The metadata is null if the session was purged since its head was read. */
interface Placed {
  readonly id: string;
  readonly metadata: Readonly<Record<string, Held>> | null;
}

function isHeldEntry(entry: [string, unknown]): entry is [string, Held] {
  const [, held] = entry;
  return isRecord(held) && ("value" in held || typeof held.seq === "number");
}

function damagedMetadata(session_id: string) {
  return refuse(
    "storage_damaged",
    `Metadata of ${session_id} is missing. Run: belay verify. If it reports damage, restore a backup.`,
    { session_id },
  );
}

function valueIn(event: StoredEvent | undefined, key: string): unknown {
  const data = isRecord(event?.data) ? event.data.metadata : undefined;
  return isRecord(data) ? data[key] : undefined;
}
