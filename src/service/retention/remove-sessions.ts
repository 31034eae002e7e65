import type { SessionHead } from "../../contract/head.ts";
import { TRASH_MS } from "../../contract/limits.ts";
import type { CleanupVerdict } from "../../core/judge-cleanup.ts";
import { isRefusal } from "../../core/session/decision.ts";
import { mergeName } from "../../core/session/index-session.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import type { Origin } from "../../core/session/run-commands.ts";
import { runCommands } from "../../core/session/run-commands.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { Append, Outcome, StoredStream, StreamStore } from "../../store/stream-store.ts";
import { everySession } from "../read/every-session.ts";
import { recordSystemFact } from "../record-system-fact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** The number of sessions that one commit removes. */
export const REMOVED_AT_ONCE = 500;

/** The reason for a removal, and the rule that selects sessions. */
export interface Removal {
  readonly reason: "cleanup" | "retention";
  /** The total time that servers have run. */
  readonly served_ms: number;
  judge(head: SessionHead, driven: boolean): CleanupVerdict;
}

/**
 * Moves sessions to the trash. It runs inside a decision, where each session is judged again, because it may have
 * become active since it was found.
 */
export function decideRemoval(
  streams: readonly (StoredStream | undefined)[],
  { reason, served_ms, judge }: Removal,
  origin: Origin,
): Append[] {
  const now = origin.at;
  const command = { type: "delete", reason, purge_at: now + TRASH_MS, served_ms } as const;
  return streams.flatMap((stream) => {
    const head = isSessionHead(stream?.head) ? stream.head : null;
    const lease = stream?.lease ?? null;
    if (!stream || !head) return [];
    const verdict = judge(head, lease?.live ?? false);
    if (!verdict.remove) return [];
    const context = { now, lease, epoch: null };
    const given = { ...command, reason: verdict.reason ?? reason };
    const applied = runCommands([given], { head, seq: stream.seq }, context, origin);
    return applied && !isRefusal(applied) ? [{ id: stream.id, ...applied }] : [];
  });
}

/** Notifies observers, such as mirrors, of the sessions that a commit changed, and returns those. */
export async function notifyChanged(
  context: ServiceContext,
  outcome: Outcome,
): Promise<StoredStream[]> {
  const changed: StoredStream[] = [];
  for (const stream of outcome.kind === "committed" ? outcome.streams : []) {
    if (!isSessionHead(stream.head)) continue;
    changed.push(stream);
    await context.onChanged?.({ head: stream.head, stream });
  }
  return changed;
}

/** Sessions that were in the trash long enough: of an owner or, with null, of everyone. */
export async function findExpired(
  store: StreamStore,
  owner: string | null,
  isExpired: Expiry,
  most = Number.POSITIVE_INFINITY,
): Promise<StoredStream[]> {
  const expired: StoredStream[] = [];
  for await (const { stream, head } of everySession(store, owner, { status: ["deleted"] })) {
    if (isExpired(head)) expired.push(stream);
    if (expired.length >= most) break;
  }
  return expired;
}

/** True if the session was merged into another. The turns of a merge are stored in the log that was merged, so it must stay. */
export async function isMerged(store: StreamStore, owner: string, id: string): Promise<boolean> {
  return (await store.findByName(owner, mergeName(id), { limit: 1 })).length > 0;
}

/** Purges a session in its owner's name, unless someone restored it from the trash. True if it was purged. */
export async function purgeExpired(
  context: ServiceContext,
  caller: Caller,
  { id, owner }: StoredStream,
  isExpired: Expiry,
): Promise<boolean> {
  for (;;) {
    const stream = await loadStream(context.store, { id });
    if (!stream || !isSessionHead(stream.head) || !isExpired(stream.head)) return false;
    if (await isMerged(context.store, owner, id)) return false;
    if (await purgeSession(context, { ...caller, owner }, stream)) return true;
  }
}

type Expiry = (head: SessionHead) => boolean;

/**
 * Purges a session. The purge is recorded first, so that a crash in between only leaves a purge that is still due. False if
 * the session has changed meanwhile: someone may have restored it, and got the answer.
 */
async function purgeSession(
  context: ServiceContext,
  caller: Caller,
  session: StoredStream,
): Promise<boolean> {
  const { id, key, seq } = session;
  const data = { session_id: key, entity_id: id, events: seq };
  await recordSystemFact(context, caller, { type: "session.purged", data }, `${id} ${seq}`);
  await context.store.purge(id, context.now(), seq);
  if (await loadStream(context.store, { id })) return false;
  await context.onPurged?.(session);
  return true;
}
