import { BelayError } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { SessionRecovery } from "../../contract/recovery.ts";
import { UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { hasLeftAgent, isStale } from "../../core/recovery/stale.ts";
import { mayWorkOn } from "../../core/resume/should-resume.ts";
import { everySession } from "../../service/read/every-session.ts";
import { resumePolicy } from "../../service/resume-policy.ts";
import type { Caller } from "../../service/service-context.ts";
import type { DriveContext } from "./drive-context.ts";
import { driveOn } from "./drive-on.ts";
import { recoverSession } from "./recover-session.ts";

interface RecoverySweep {
  readonly checked: number;
  readonly sessions: readonly SessionRecovery[];
  /** Sessions that could not be recovered, with the reason. */
  readonly failed: readonly { readonly session_id: string; readonly why: string }[];
}

interface SweepOptions {
  readonly dry_run?: boolean;
  /** The owner of the sessions; by default the caller, with null everyone. */
  readonly owner?: string | null;
  /** Works on the messages of recovered sessions here; otherwise they wait for another process. */
  readonly drive?: boolean;
  /** Stops the work; the remaining sessions are recovered another time. */
  readonly signal?: AbortSignal;
}

/** Recovers every session whose process died. Other processes may do the same at once. */
export async function recoverAll(
  context: DriveContext,
  caller: Caller,
  { dry_run = false, owner = caller.owner, drive = false, signal }: SweepOptions = {},
): Promise<RecoverySweep> {
  const stale: Pick<SessionHead, "session_id" | "owner">[] = [];
  let checked = 0;
  // Only unsettled sessions can be stale, and there may be very many others.
  const filter = { status: UNFINISHED_STATUSES, unsettled: true } as const;
  for await (const { stream, head } of everySession(context.store, owner, filter)) {
    checked += 1;
    if (isStale(head, stream.lease, context.now()) || hasLeftAgent(head, stream.lease)) {
      stale.push({ session_id: head.session_id, owner: head.owner });
    }
  }
  const found: (SessionRecovery | null)[] = [];
  const failed: { session_id: string; why: string }[] = [];
  const recoverOne = async (nth: number, { session_id, owner }: (typeof stale)[number]) => {
    try {
      const by = { ...caller, owner };
      const recovered = await recoverSession(context, by, session_id, { dry_run });
      found[nth] = recovered;
      if (drive && recovered) {
        await driveOn(context, owner, session_id, (head) =>
          mayWorkOn(head, context.now(), resumePolicy()),
        );
      }
    } catch (error) {
      if (!(error instanceof BelayError)) throw error;
      // Another process is recovering it.
      if (error.code !== "session_held") failed.push({ session_id, why: error.message });
    }
  };
  const waiting = [...stale.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !signal?.aborted; next = waiting.shift()) {
      context.onProgress?.(next[0], stale.length);
      await recoverOne(...next);
    }
  };
  // A node that is gone may leave many sessions, and the last must not wait for all others.
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const sessions = found.filter((recovered) => recovered !== null && recovered !== undefined);
  return { checked, sessions, failed };
}

/** The number of sessions that are recovered at the same time. */
const AT_ONCE = 4;
