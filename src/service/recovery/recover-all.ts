import { BelayError } from "../../contract/errors.ts";
import type { SessionRecovery } from "../../contract/recovery.ts";
import { isStale } from "../../core/stale.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { everySession } from "../every-session.ts";
import { recoverSession } from "./recover-session.ts";

export interface RecoverySweep {
  readonly checked: number;
  readonly sessions: readonly SessionRecovery[];
  /** Sessions that could not be recovered, and why. */
  readonly failed: readonly { readonly session_id: string; readonly why: string }[];
}

/** Recovers every session of the owner whose process has died. Others may do the same at the same time. */
export async function recoverAll(
  context: ServiceContext,
  caller: Caller,
  options: { readonly dry_run?: boolean } = {},
): Promise<RecoverySweep> {
  const stale: string[] = [];
  let checked = 0;
  const filter = { status: ["created", "active", "suspended"] };
  for await (const { stream, head } of everySession(context.store, caller.owner, filter)) {
    checked += 1;
    if (isStale(head, stream.lease, context.now())) stale.push(head.session_id);
  }
  const sessions: SessionRecovery[] = [];
  const failed: { session_id: string; why: string }[] = [];
  for (const [done, session_id] of stale.entries()) {
    context.onProgress?.(done, stale.length);
    try {
      const recovered = await recoverSession(context, caller, session_id, options);
      if (recovered) sessions.push(recovered);
    } catch (error) {
      if (!(error instanceof BelayError)) throw error;
      // Someone else is at it.
      if (error.code !== "session_held") failed.push({ session_id, why: error.message });
    }
  }
  return { checked, sessions, failed };
}
