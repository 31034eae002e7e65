import { TRASH_MS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { judgeCleanup } from "../../core/cleanup-rules.ts";
import { isRefusal } from "../../core/decision.ts";
import { isSessionHead } from "../../core/known-events.ts";
import { runCommands } from "../../core/run-commands.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import { originOf } from "../change-session.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { everySession } from "../every-session.ts";
import { purgeSession } from "../purge-session.ts";

/** Removing is moving to the trash; only what has been there long enough is purged. */
export async function cleanup(
  context: ServiceContext,
  input: Parsed<"cleanup">,
  caller: Caller,
): Promise<Output<"cleanup">> {
  const now = context.now();
  const before = now - input.hours * 3_600_000;
  const old: StoredStream[] = [];
  const kept: Output<"cleanup">["protected"] = [];
  const expired: StoredStream[] = [];
  for await (const { stream, head } of everySession(context.store, caller.owner, {
    active_before: before,
  })) {
    const verdict = judgeCleanup(head, before, stream.lease?.live ?? false);
    if (verdict.remove) old.push(stream);
    else if (verdict.because) {
      kept.push({ session_id: head.session_id, because: verdict.because });
    }
  }
  for await (const { stream, head } of everySession(context.store, caller.owner, {
    status: ["deleted"],
  })) {
    if (head.deleted && head.deleted.purge_at <= now) expired.push(stream);
  }
  if (input.dry_run) {
    return {
      removed: old.map(({ key }) => key),
      purged: expired.map(({ key }) => key),
      protected: kept,
      dry_run: true,
    };
  }
  const removed: string[] = [];
  for (let at = 0; at < old.length; at += AT_ONCE) {
    removed.push(...(await remove(context, caller, old.slice(at, at + AT_ONCE), before)));
  }
  for (const session of expired) await purgeSession(context, caller, session);
  return {
    removed,
    purged: expired.map(({ key }) => key),
    protected: kept,
    dry_run: false,
  };
}

/** Sessions that one commit removes. */
const AT_ONCE = 500;

async function remove(
  context: ServiceContext,
  caller: Caller,
  sessions: readonly StoredStream[],
  before: number,
): Promise<string[]> {
  const now = context.now();
  const origin = { at: now, ...originOf(caller) };
  const command = { type: "delete", reason: "cleanup", purge_at: now + TRASH_MS } as const;
  const outcome = await context.store.transact({
    streams: sessions.map(({ id }) => ({ id })),
    decide: ({ streams }) => ({
      appends: streams.flatMap((stream) => {
        const head = isSessionHead(stream?.head) ? stream.head : null;
        const lease = stream?.lease ?? null;
        // Judged again inside the decision: it may have come back to life meanwhile.
        if (!stream || !head || !judgeCleanup(head, before, lease?.live ?? false).remove) return [];
        const context = { now, lease, epoch: null };
        const applied = runCommands([command], { head, seq: stream.seq }, context, origin);
        return applied && !isRefusal(applied) ? [{ id: stream.id, ...applied }] : [];
      }),
    }),
  });
  const changed = outcome.kind === "committed" ? outcome.streams : [];
  for (const stream of changed) {
    if (isSessionHead(stream.head)) await context.onChanged?.({ head: stream.head, stream });
  }
  return changed.map(({ key }) => key);
}
