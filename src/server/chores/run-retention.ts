import { refuse } from "../../contract/errors.ts";
import type { SystemFact } from "../../contract/events.ts";
import type { SessionHead, SystemHead } from "../../contract/head.ts";
import { type ExpirationDays, judgeExpiry } from "../../core/judge-expiry.ts";
import {
  isPurgeDue,
  judgeRetention,
  judgeRetentionRun,
  KEPT_FOR,
  type Uptime,
} from "../../core/retention-rules.ts";
import { isSessionHead, isSystemHead } from "../../core/session/known-events.ts";
import type { Origin } from "../../core/session/run-commands.ts";
import { evolveSystem, listSystem, newSystemHead } from "../../core/system.ts";
import { originOf } from "../../service/change-session.ts";
import { sessionsAtOnce } from "../../service/change-sessions.ts";
import { everySession, type SessionFilter } from "../../service/read/every-session.ts";
import { serverStream } from "../../service/record-system-fact.ts";
import { isExpirationUsed, readExpiration } from "../../service/retention/expiration.ts";
import type { Removal } from "../../service/retention/remove-sessions.ts";
import {
  decideRemoval,
  findExpired,
  notifyChanged,
  purgeExpired,
  REMOVED_AT_ONCE,
} from "../../service/retention/remove-sessions.ts";
import { countServedTime } from "../../service/retention/served-time.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { Append, StoredStream, StreamStore } from "../../store/stream-store.ts";

interface RetentionRun {
  readonly removed: number;
  readonly purged: number;
  readonly waits: boolean;
}

/** The limit for each kind in one run; the rest follows another day. Removing too little is harmless. */
const MOST = 10_000;

/**
 * The daily removal of old sessions of all owners, also with several processes. Null if it is not due, or another
 * process does it.
 */
export async function runRetention(
  context: ServiceContext,
  caller: Caller,
  signal: AbortSignal,
  uptime: Uptime,
): Promise<RetentionRun | null> {
  const { store } = context;
  const now = context.now();
  const served_ms = await countServedTime(context, caller, uptime);
  const last = retentionOf(await loadStream(store, serverStream(caller.owner)));
  const verdict = judgeRetentionRun(last, served_ms, now);
  if (verdict === "not due") return null;
  const { as_of } = verdict;
  const days = new Map<string, ExpirationDays>();
  const judgeAt = (at: number) => (head: SessionHead, driven: boolean) => {
    const expired = judgeExpiry(head, days.get(head.owner) ?? NO_DAYS, at, driven);
    return expired.remove ? expired : judgeRetention(head, at, driven);
  };
  const removal: Removal = {
    reason: "retention",
    served_ms,
    judge: as_of === null ? () => KEPT : judgeAt(as_of),
  };
  const found = await findDue(store, now, judgeAt(now), days);
  const due = found.filter(({ stream, head }) => removal.judge(head, isDriven(stream)).remove);
  const waits = due.length < found.length;
  const isExpired = (head: SessionHead) => isPurgeDue(head, now, served_ms);
  const expired = await findExpired(store, null, isExpired, MOST);
  const origin = { at: now, ...originOf(caller) };
  let removed = 0;
  let seen = last?.at ?? null;
  const most = sessionsAtOnce(store, REMOVED_AT_ONCE);
  for (let at = 0; at === 0 || at < due.length; at += most) {
    if (signal.aborted && at > 0) break;
    const purged = at === 0 ? expired : [];
    const sessions = due.slice(at, at + most).map(({ stream }) => stream);
    const gone = await removeTogether(context, caller.owner, seen, origin, {
      sessions,
      purged,
      waits,
      removal,
    });
    if (gone === null) return null;
    removed += gone;
    seen = now;
  }
  let purged = 0;
  for (const session of expired) {
    // The remaining sessions stay in the trash, and are due another day.
    if (signal.aborted) break;
    await purgeExpired(context, caller, session, isExpired);
    purged += 1;
  }
  return { removed, purged, waits };
}

interface Round {
  readonly sessions: readonly StoredStream[];
  /** The sessions that are about to be purged. */
  readonly purged: readonly StoredStream[];
  readonly waits: boolean;
  readonly removal: Removal;
}

/**
 * Removes sessions and records the run in one commit, so that only one of two processes does it. Each owner's log lists
 * only its own sessions. Null if another process was faster.
 */
async function removeTogether(
  context: ServiceContext,
  server: string,
  seen: number | null,
  origin: Origin,
  { sessions, purged, waits, removal }: Round,
): Promise<number | null> {
  const owners = [...new Set([server, ...[...sessions, ...purged].map(({ owner }) => owner)])];
  const outcome = await context.store.transact({
    streams: [...owners.map(serverStream), ...sessions.map(({ id }) => ({ id }))],
    decide: ({ streams }) => {
      if ((retentionOf(streams[0])?.at ?? null) !== seen) return { refused: DONE_MEANWHILE };
      const removals = decideRemoval(streams.slice(owners.length), removal, origin);
      const facts = owners.flatMap((owner, nth) => {
        const data = {
          removed: removals.flatMap(({ head }) => (isOf(head, owner) ? [head.session_id] : [])),
          purged: purged.flatMap((stream) => (stream.owner === owner ? [stream.key] : [])),
          waits,
          served_ms: removal.served_ms,
        };
        const isEmpty = data.removed.length === 0 && data.purged.length === 0;
        if (isEmpty && owner !== server) return [];
        const fact = { type: "retention.ran", data } as const;
        return [appendFact(streams[nth], owner, fact, origin, context.newId())];
      });
      return { appends: [...facts, ...removals] };
    },
  });
  if (outcome.kind !== "committed") return null;
  return (await notifyChanged(context, outcome)).length;
}

const DONE_MEANWHILE = refuse(
  "version_conflict",
  "Another process has already removed old sessions. Nothing was changed.",
);

function isOf(head: unknown, owner: string): head is SessionHead {
  return isSessionHead(head) && head.owner === owner;
}

function appendFact(
  stream: StoredStream | undefined,
  owner: string,
  fact: SystemFact,
  origin: Origin,
  newId: string,
): Append {
  const id = stream?.id ?? newId;
  const before = isSystemHead(stream?.head) ? stream.head : newSystemHead(id, owner);
  const event = { ...fact, ...origin, seq: (stream?.seq ?? 0) + 1 };
  const head = evolveSystem(before, event);
  const kept = { events: [event], head, rows: [], names: [], listing: listSystem(head) };
  return { id, ...(stream ? {} : { create: serverStream(owner) }), ...kept };
}

function retentionOf(
  stream: StoredStream | undefined,
): NonNullable<SystemHead["retention"]> | null {
  return (isSystemHead(stream?.head) && stream.head.retention) || null;
}

/** Sessions that are due by the current clock. It also fills in the expiration settings of the owners it reads. */
async function findDue(
  store: StreamStore,
  now: number,
  judge: Removal["judge"],
  days: Map<string, ExpirationDays>,
): Promise<DueSession[]> {
  const due: DueSession[] = [];
  for (const filter of await filtersOf(store, now)) {
    for await (const found of everySession(store, null, filter)) {
      const { owner } = found.head;
      if (!days.has(owner)) days.set(owner, await readExpiration(store, owner));
      if (judge(found.head, isDriven(found.stream)).remove) due.push(found);
      if (due.length >= MOST) return due;
    }
  }
  return due;
}

/** If any session may expire, every session must be read, because its own date is only in its head. */
async function filtersOf(store: StreamStore, now: number): Promise<SessionFilter[]> {
  if (await isExpirationUsed(store)) return [{}];
  return Object.entries(KEPT_FOR).flatMap(([status, { plain, resumable }]) => {
    if (plain === null || resumable === null) return [];
    return [{ status: [status], activity: { before: now - Math.min(plain, resumable) } }];
  });
}

const NO_DAYS: ExpirationDays = { own: null, everyone: null };

interface DueSession {
  readonly stream: StoredStream;
  readonly head: SessionHead;
}

const KEPT = { remove: false, because: null } as const;

function isDriven({ lease }: StoredStream): boolean {
  return lease?.live ?? false;
}
