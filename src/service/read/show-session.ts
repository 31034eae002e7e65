import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Session } from "../../contract/session.ts";
import { PHASES } from "../../contract/vocabulary.ts";
import { iso, viewSession } from "../../core/view/view-session.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { readNewDecisions } from "../approval/read-new-decisions.ts";
import type { AgentAccess } from "../service-context.ts";
import { cannotRead, sessionNotFound } from "./find-session.ts";
import { isPurged } from "./is-purged.ts";
import { PageRoom } from "./page-room.ts";
import { holdsMetadata, readMetadata, readMetadataOf } from "./read-metadata.ts";

interface Surroundings {
  readonly store: StreamStore;
  now(): number;
  readonly agents?: Pick<AgentAccess, "positionOf"> | undefined;
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

/** The same for many sessions, as far as they fit on a page, with no more reads. Leaves out those that were purged since. */
export async function showSessions(
  surroundings: Surroundings,
  found: readonly FoundSession[],
): Promise<ShownPage> {
  const heads = found.map(({ head, stream: { id } }) => ({ id, head }));
  const metadata = await readMetadataOf(surroundings.store, heads, LIMITS.PAGE_BYTES);
  const isSmall =
    found.length * SHOWN_BYTES <= LIMITS.PAGE_BYTES &&
    found.every(({ head }) => holdsMetadata(head));
  const room = new PageRoom();
  const sessions: Session[] = [];
  let fitting = 0;
  for (const [n, each] of found.slice(0, metadata.length).entries()) {
    const values = metadata[n];
    if (!values && !(await isPurged(surroundings.store, each.stream))) {
      throw new BelayError(cannotRead(each.stream));
    }
    const session = values && view(surroundings, each, values);
    if (session && !isSmall && !room.fits(session)) break;
    if (session) sessions.push(session);
    fitting += 1;
  }
  return { sessions, fitting };
}

interface ShownPage {
  readonly sessions: Session[];
  /** The number of sessions that fit on the page, including those that were purged since. */
  readonly fitting: number;
}

/** More than a session has when it is shown without distant metadata: its head, and times as text. */
const SHOWN_BYTES = 4 * LIMITS.HEAD_BYTES;

function view(
  { now, agents }: Surroundings,
  { head, stream }: FoundSession,
  metadata: Readonly<Record<string, unknown>>,
): Session {
  // A session that was just changed leaves the line a moment later.
  const mayWait = head.status === "active" && head.queue.length > 0;
  const position = (mayWait && agents?.positionOf(stream.id)) || null;
  return viewSession(head, stream.seq, metadata, stream.lease, now(), position);
}

/** Includes new decisions and every phase change; a list shows only the newest few phases. */
export async function showWholeSession(
  surroundings: Surroundings,
  found: FoundSession,
): Promise<Session> {
  const { store } = surroundings;
  const { id, key, seq } = found.stream;
  const session = {
    ...(await showSession(surroundings, found)),
    decisions: await readNewDecisions(store, found.stream, found.head),
  };
  if (found.head.counts.phases <= session.history.length) return session;
  const [part] = await readParts(store, [{ ref: { id }, rows: [{ kind: "phase", at: seq }] }]);
  // It was purged since it was found.
  if (!part) throw new BelayError(sessionNotFound(key));
  const rows = part.rows[0] ?? [];
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
