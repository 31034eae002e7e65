import { BelayError } from "../contract/errors.ts";
import type { SessionRecovery } from "../contract/recovery.ts";
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
  if (said) return result ?? tell(head, said, false);
  const noted = result ?? tell(head, null, true);
  const by = { ...caller, actor: "recovery" };
  try {
    await changeSession(context, by, {
      id: session_id,
      commands: () => [
        {
          type: "note_recovered",
          status: noted.status,
          steps: noted.actions.map(({ action_id, type, title, step }) => ({
            ...{ action_id, type, title, step },
          })),
          next_step: noted.next_step,
        },
      ],
    });
    return noted;
  } catch (error) {
    // A session that is over stays so.
    if (error instanceof BelayError && error.code.startsWith("session_")) {
      return { ...noted, changed: false };
    }
    throw error;
  }
}

function tell(
  { session_id, agent_name }: { readonly session_id: string; readonly agent_name: string },
  said: Recovered | null,
  changed: boolean,
): SessionRecovery {
  return {
    session_id,
    agent_name,
    status: said?.data.status ?? "ok",
    happened: "nothing was under way",
    actions: [],
    next_step: said?.data.next_step ?? null,
    approval_id: null,
    checkpoint_file: null,
    changed,
  };
}
