import { BelayError } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { PendingRecovery } from "../../contract/recovery.ts";
import { UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { isStale } from "../../core/recovery/stale.ts";
import { everySession } from "../../service/read/every-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { describeQuestion } from "./describe-question.ts";
import type { DriveContext } from "./drive-context.ts";
import { PLAIN_RECOVERY } from "./drive-context.ts";
import { planOnly } from "./recover-session.ts";

interface PendingRecoveries {
  readonly pending: readonly PendingRecovery[];
  /** Sessions that could not be examined, with the reason. */
  readonly failed: readonly { readonly session_id: string; readonly why: string }[];
}

/** Every session that waits for recovery, or for a person's answer about it. It changes nothing. */
export async function pendingRecoveries(
  context: DriveContext,
  owner: string,
): Promise<PendingRecoveries> {
  const looking = lookOnly(context);
  const found = new Map<string, FoundSession>();
  for await (const session of everySession(context.store, owner, { waiting: true })) {
    const { stream, head } = session;
    const isAsked = head.approvals.some(({ kind }) => kind === "recovery");
    if (isAsked && !head.deleted && !stream.lease?.live) found.set(stream.id, session);
  }
  const filter = { status: UNFINISHED_STATUSES, unsettled: true } as const;
  for await (const session of everySession(context.store, owner, filter)) {
    const { stream, head } = session;
    if (isStale(head, stream.lease, context.now())) found.set(stream.id, session);
  }
  const pending: PendingRecovery[] = [];
  const failed: { session_id: string; why: string }[] = [];
  for (const session of found.values()) {
    try {
      pending.push(await describePending(looking, session));
    } catch (error) {
      if (!(error instanceof BelayError)) throw error;
      // Another process is recovering it now.
      if (error.code === "session_held") continue;
      failed.push({ session_id: session.head.session_id, why: error.message });
    }
  }
  return { pending, failed };
}

/** A caller that may only read must not cause commands to run, so status queries are skipped. */
function lookOnly(context: DriveContext): DriveContext {
  const recovery = context.recovery ?? PLAIN_RECOVERY;
  return { ...context, recovery: { ...recovery, askRemote: async () => null } };
}

async function describePending(
  context: DriveContext,
  session: FoundSession,
): Promise<PendingRecovery> {
  const asked = askedIn(session.head);
  if (asked) return describeQuestion(context, session, asked);
  const plan = await planOnly(context, session.stream, session.head);
  return {
    ...plan,
    session_title: session.head.title,
    title: null,
    rollback: [],
    asked_at: null,
  };
}

function askedIn({ approvals }: SessionHead) {
  return approvals.find(({ kind }) => kind === "recovery");
}
