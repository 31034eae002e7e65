import type { SessionHead } from "../contract/head.ts";
import { Session } from "../contract/session.ts";
import { isRecord } from "../core/deep-equal.ts";
import { iso, viewSession } from "../core/view-session.ts";
import type { StoredStream, StreamStore } from "../store/stream-store.ts";

/** A session as doors show it, with the metadata that is too large for its head read from its log. */
export async function showSession(
  store: StreamStore,
  { head, stream }: { head: SessionHead; stream: StoredStream },
): Promise<Session> {
  const metadata: Record<string, unknown> = {};
  for (const [key, held] of Object.entries(head.metadata)) {
    metadata[key] =
      "value" in held ? held.value : await readMetadata(store, stream.id, held.seq, key);
  }
  const driver = stream.lease?.live ? stream.lease.holder.name : null;
  return viewSession(head, stream.seq, metadata, driver);
}

/** With every phase change, where a list shows the newest few. */
export async function showWholeSession(
  store: StreamStore,
  found: { head: SessionHead; stream: StoredStream },
): Promise<Session> {
  const session = await showSession(store, found);
  if (found.head.counts.phases <= session.history.length) return session;
  const rows = await store.readRows(found.stream.id, { kind: "phase", at: found.stream.seq });
  const history = rows.map(({ data }) => ({
    from_phase: data.from_phase,
    to_phase: data.to_phase,
    timestamp: typeof data.at === "number" ? iso(data.at) : data.at,
  }));
  return { ...session, history: Session.shape.history.parse(history) };
}

async function readMetadata(
  store: StreamStore,
  id: string,
  seq: number,
  key: string,
): Promise<unknown> {
  const [event] = await store.readEvents(id, { after: seq - 1, limit: 1 });
  const data = isRecord(event?.data) ? event.data.metadata : undefined;
  return isRecord(data) ? data[key] : undefined;
}
