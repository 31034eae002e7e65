import type { SessionHead } from "../../contract/head.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { type CountedSession, countSessions } from "../../core/view/count-sessions.ts";
import { sessionTimes } from "../../core/view/session-times.ts";
import { loadStream, readFeedEnd } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { everySession } from "./every-session.ts";

/** A session as statistics see it. */
export interface CountableSession extends CountedSession {
  readonly updated_at: number;
  readonly is_deleted: boolean;
  /** The token that created the session, if it has scope record. */
  readonly recorder: string | null;
  /** The number of open questions to a person. */
  readonly waiting: number;
}

/** An owner's sessions as of a place in the feed. */
interface Counted {
  cursor: string;
  readonly sessions: Map<string, CountableSession>;
  /** The statistics of all sessions, until one changes. */
  inAll: ReturnType<typeof countSessions> | null;
}

const FEED = { limit: 128, bytes: 256 * 1024 } as const;
/** After more events than this, reading every session again is not slower. */
const MOST_EVENTS = 2000;
/** The most owners and sessions that this process caches. */
const MOST_OWNERS = 8;
const MOST_SESSIONS = 100_000;
/** This many sessions take half a second and 10 MB. */
const MOST_AHEAD = 20_000;

const known = new WeakMap<StreamStore, Map<string, Promise<Counted>>>();

/**
 * All sessions of an owner, for statistics. They are read once; later only the sessions that the feed reports as
 * changed, by any process. A purge leaves no event, so it is detected by the number of sessions.
 */
export async function countedSessions(store: StreamStore, owner: string): Promise<Counted> {
  const owners = known.get(store) ?? new Map<string, Promise<Counted>>();
  known.set(store, owners);
  // Another caller may still be reading them.
  const remembered = await owners.get(owner)?.catch(() => undefined);
  if (remembered && (await catchUp(store, owner, remembered))) return remembered;
  const reading = readAll(store, owner);
  owners.delete(owner);
  owners.set(owner, reading);
  for (const oldest of owners.keys()) if (owners.size > MOST_OWNERS) owners.delete(oldest);
  const forget = () => owners.get(owner) === reading && owners.delete(owner);
  const counted = await reading.catch((error: unknown) => {
    forget();
    throw error;
  });
  if (counted.sessions.size > MOST_SESSIONS) forget();
  return counted;
}

/** The statistics of all sessions that are not in the trash. */
export function countedInAll(counted: Counted): ReturnType<typeof countSessions> {
  const { sessions } = counted;
  counted.inAll ??= countSessions([...sessions.values()].filter(({ is_deleted }) => !is_deleted));
  return counted.inAll;
}

/**
 * Reads every session for the first statistics. A server does this before it listens, unless it would take too long.
 */
export async function countAhead(store: StreamStore, owner: string): Promise<void> {
  const tallies = await store.tally("session", owner);
  const sessions = tallies.reduce((sum, { streams }) => sum + streams, 0);
  if (sessions <= MOST_AHEAD) await countedSessions(store, owner);
}

async function readAll(store: StreamStore, owner: string): Promise<Counted> {
  // Read first, so that changes during the reading come after it.
  const cursor = await readFeedEnd(store);
  const sessions = new Map<string, CountableSession>();
  for await (const { stream, head } of everySession(store, owner, {})) {
    sessions.set(stream.id, countable(head));
  }
  return { cursor, sessions, inAll: null };
}

/** False if the sessions must be read again. */
async function catchUp(store: StreamStore, owner: string, counted: Counted): Promise<boolean> {
  const changed = new Set<string>();
  let { cursor } = counted;
  for (let events = 0; ; ) {
    const page = await store.readFeed({ after: cursor, limit: FEED.limit, bytes: FEED.bytes });
    if (page.events.length === 0) break;
    events += page.events.length;
    if (events > MOST_EVENTS) return false;
    for (const event of page.events) {
      if (event.kind === "session" && event.owner === owner) changed.add(event.stream);
    }
    cursor = page.cursor;
  }
  if (changed.size > 0) counted.inAll = null;
  for (const id of changed) {
    const head = (await loadStream(store, { id }))?.head;
    if (isSessionHead(head)) counted.sessions.set(id, countable(head));
    else counted.sessions.delete(id);
  }
  counted.cursor = cursor;
  const tallies = await store.tally("session", owner);
  return tallies.reduce((sum, { streams }) => sum + streams, 0) === counted.sessions.size;
}

function countable(head: SessionHead): CountableSession {
  const { agent_name, status, phase, error_count } = head;
  const { started_at, duration_ms, last_active_at } = sessionTimes(head);
  return {
    agent_name,
    status,
    phase,
    created_at: started_at,
    updated_at: last_active_at,
    error_count,
    counts: { resumes: head.counts.resumes, turns: head.counts.turns },
    ended: duration_ms === null ? null : { duration_ms },
    usage: { cost_usd: head.usage.cost_usd },
    is_deleted: head.deleted !== null,
    recorder: head.recorder ?? null,
    waiting: head.approvals.length,
  };
}
