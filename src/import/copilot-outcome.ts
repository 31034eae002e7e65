import type { SessionHead } from "../contract/head.ts";
import type { SessionRecovery } from "../contract/recovery.ts";
import type { Status } from "../contract/vocabulary.ts";
import { changeSession } from "../service/change-session.ts";
import type { Caller, ServiceContext } from "../service/context.ts";
import { findSession } from "../service/find-session.ts";
import type { Recovered } from "../service/mirror-copilot-state.ts";
import { findRecovered } from "../service/mirror-copilot-state.ts";
import { PLAIN_RECOVERY } from "../service/recovery/recovery-context.ts";

/** Decides what may safely happen next with a session; null when there is nothing to recover. */
export type RecoverSession = (
  context: ServiceContext,
  caller: Caller,
  id: string,
  options: { readonly dry_run?: boolean; readonly force?: boolean },
) => Promise<SessionRecovery | null>;

/** Recovers a restored session. That nothing was left to decide is an outcome too, and is put down once. */
export async function recoverRestored(
  context: ServiceContext,
  caller: Caller,
  { session_id, cwd }: { readonly session_id: string; readonly cwd: string },
  recoverSession: RecoverSession,
): Promise<SessionRecovery> {
  const surroundings = context.recovery ?? PLAIN_RECOVERY;
  // Whoever works in such a workspace looks there for what is asked.
  const recovery = { ...surroundings, folderOf: async () => cwd };
  const options = { force: true };
  const result = await recoverSession({ ...context, recovery }, caller, session_id, options);
  const { stream, head } = await findSession(context, caller.owner, session_id);
  const said = await findRecovered(context.store, stream);
  if (FINISHED.has(head.status)) return result ?? tell(head, said, false);
  if (said && !isAnswered(said, head)) return result ?? tell(head, said, false);
  const noted = result ?? tell(head, null, true);
  const by = { ...caller, actor: "recovery" };
  const { status, next_step } = noted;
  const steps = noted.actions.map(({ action_id, type, title, step }) => ({
    ...{ action_id, type, title, step },
  }));
  await changeSession(context, by, {
    id: session_id,
    commands: () => [{ type: "note_recovered", status, steps, next_step }],
  });
  return noted;
}

const FINISHED: ReadonlySet<Status> = new Set(["completed", "failed", "cancelled", "archived"]);

/** A person was asked, and nothing waits or is open any more. */
function isAnswered({ data }: Recovered, { approvals, actions }: SessionHead): boolean {
  return data.status === "manual-review" && approvals.length === 0 && actions.length === 0;
}

function tell(
  { session_id, agent_name, status }: SessionHead,
  said: Recovered | null,
  changed: boolean,
): SessionRecovery {
  return {
    session_id,
    agent_name,
    status: said?.data.status ?? "ok",
    happened: FINISHED.has(status) ? `the session is ${status}` : "nothing was under way",
    actions: [],
    next_step: said?.data.next_step ?? null,
    approval_id: null,
    checkpoint_file: null,
    changed,
  };
}
