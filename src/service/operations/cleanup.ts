import { TRASH_MS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { judgeCleanup } from "../../core/cleanup-rules.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import { changeSession } from "../change-session.ts";
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
  const old: string[] = [];
  const kept: Output<"cleanup">["protected"] = [];
  const expired: StoredStream[] = [];
  for await (const { stream, head } of everySession(context.store, caller.owner, {
    active_before: before,
  })) {
    const verdict = judgeCleanup(head, before, stream.lease?.live ?? false);
    if (verdict.remove) old.push(head.session_id);
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
    return { removed: old, purged: expired.map(({ key }) => key), protected: kept, dry_run: true };
  }
  const removed = await Promise.all(
    old.map(async (id) => {
      const { head } = await changeSession(context, caller, {
        id,
        // Judged again inside the decision: it may have come back to life meanwhile.
        commands: (current) =>
          current && judgeCleanup(current, before, false).remove
            ? [{ type: "delete", reason: "cleanup", purge_at: now + TRASH_MS }]
            : [],
      });
      return head.deleted ? head.session_id : null;
    }),
  );
  for (const session of expired) await purgeSession(context, caller, session);
  return {
    removed: removed.filter((name) => name !== null),
    purged: expired.map(({ key }) => key),
    protected: kept,
    dry_run: false,
  };
}
