import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Session } from "../../contract/session.ts";
import { PHASES } from "../../contract/vocabulary.ts";
import { iso, viewSession } from "../../core/view/view-session.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { PageRoom } from "./page-room.ts";
import { holdsMetadata, readMetadata, readMetadataOf } from "./read-metadata.ts";

interface Surroundings {
  readonly store: StreamStore;
  now(): number;
}
interface FoundSession {
  readonly head: SessionHead;
  readonly stream: StoredStream;
}

/** A session as the interfaces show it. */
export async function showSession(
  surroundings: Surroundings,
  found: FoundSession,
): Promise<Session> {
  const metadata = readMetadata(surroundings.store, found.stream.id, found.head);
  return view(surroundings, found, metadata instanceof Promise ? await metadata : metadata);
}

/** The same for many sessions, as far as they fit on a page, with no more reads. */
export async function showSessions(
  surroundings: Surroundings,
  found: readonly FoundSession[],
): Promise<Session[]> {
  const heads = found.map(({ head, stream: { id } }) => ({ id, head }));
  const metadata = await readMetadataOf(surroundings.store, heads, LIMITS.PAGE_BYTES);
  const isSmall =
    found.length * SHOWN_BYTES <= LIMITS.PAGE_BYTES &&
    found.every(({ head }) => holdsMetadata(head));
  const room = new PageRoom();
  const sessions: Session[] = [];
  for (const [n, each] of found.slice(0, metadata.length).entries()) {
    const session = view(surroundings, each, metadata[n] ?? {});
    if (!isSmall && !room.fits(session)) break;
    sessions.push(session);
  }
  return sessions;
}

/** More than a session has when it is shown without distant metadata: its head, and times as text. */
const SHOWN_BYTES = 4 * LIMITS.HEAD_BYTES;

function view(
  { now }: Surroundings,
  { head, stream }: FoundSession,
  metadata: Readonly<Record<string, unknown>>,
): Session {
  return viewSession(head, stream.seq, metadata, stream.lease, now());
}

/** Includes every phase change; a list shows only the newest few. */
export async function showWholeSession(
  surroundings: Surroundings,
  found: FoundSession,
): Promise<Session> {
  const { store } = surroundings;
  const session = await showSession(surroundings, found);
  if (found.head.counts.phases <= session.history.length) return session;
  const rows = await readRows(store, found.stream.id, { kind: "phase", at: found.stream.seq });
  // An index with a lost row looks complete, so the count is compared with the head.
  if (rows.length !== found.head.counts.phases) throw new BelayError(damagedHistory(session));
  const history = rows.flatMap(({ data }) => {
    const from_phase = PHASES.find((phase) => phase === data.from_phase);
    const to_phase = PHASES.find((phase) => phase === data.to_phase);
    return from_phase && to_phase && typeof data.at === "number"
      ? [{ from_phase, to_phase, timestamp: iso(data.at) }]
      : [];
  });
  return { ...session, history };
}

function damagedHistory({ session_id }: Session) {
  return refuse(
    "storage_damaged",
    `Phase changes of ${session_id} are missing. Run: belay verify. If it reports damage, restore a backup.`,
    { session_id },
  );
}
