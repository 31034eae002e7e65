import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { SessionRecovery } from "../../contract/recovery.ts";
import type { Status } from "../../contract/vocabulary.ts";
import type { DriveContext } from "../../drive/recovery/drive-context.ts";
import { PLAIN_RECOVERY } from "../../drive/recovery/drive-context.ts";
import { pendingIn } from "../../drive/recovery/recover-session.ts";
import { writeCheckpointFile } from "../../drive/recovery/write-checkpoint-file.ts";
import { changeSession } from "../../service/change-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { findSession } from "../../service/read/find-session.ts";
import type { Caller } from "../../service/service-context.ts";
import type { Recovered } from "./mirror-copilot-state.ts";
import { findRecovered } from "./mirror-copilot-state.ts";

/** Decides the safe next step of a session; null if there is nothing to recover. */
export type RecoverSession = (
  context: DriveContext,
  caller: Caller,
  id: string,
  options: { readonly dry_run?: boolean; readonly force?: boolean },
) => Promise<SessionRecovery | null>;

interface Restored {
  readonly session_id: string;
  readonly cwd: string;
  /** The new path of a damaged state file, which a person must look at. */
  readonly suspect: string | undefined;
}

/** Recovers a restored session. The result that nothing was left to decide is also recorded, once. */
export async function recoverRestored(
  context: DriveContext,
  caller: Caller,
  { session_id, cwd, suspect }: Restored,
  recoverSession: RecoverSession,
): Promise<SessionRecovery> {
  const surroundings = context.recovery ?? PLAIN_RECOVERY;
  // People who work in such a workspace look there for questions.
  const recovery = { ...surroundings, folderOf: async () => cwd };
  const options = { force: true };
  const result = await recoverSession({ ...context, recovery }, caller, session_id, options);
  const found = await findSession(context, caller.owner, session_id);
  const { stream, head } = found;
  const isAsked = result?.status === "manual-review" || pendingIn(head) !== null;
  if (suspect !== undefined && !isAsked && !FINISHED.has(head.status)) {
    return askForReview(context, caller, found, { cwd, suspect });
  }
  const said = await findRecovered(context.store, stream);
  if (FINISHED.has(head.status)) return result ?? toRecovery(head, said, false);
  if (said && !isAnswered(said, head)) return result ?? toRecovery(head, said, false);
  // Answering the question about one step must not lose another that may simply be repeated.
  const next = said?.data.next_step ?? null;
  const noted = result ?? { ...toRecovery(head, null, true), next_step: next };
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

/** Asks a person to look at an untrusted state file, if there is no other question. */
async function askForReview(
  context: DriveContext,
  caller: Caller,
  { head }: FoundSession,
  { cwd, suspect }: { readonly cwd: string; readonly suspect: string },
): Promise<SessionRecovery> {
  const approval_id = context.newId();
  const question: SessionCommand<"request_approval"> = {
    type: "request_approval",
    approval_id,
    kind: "recovery",
    title: "The session's state file was damaged",
    body: `Only its valid fields were used. The file was moved to ${suspect}. Compare it before you continue.`,
    action_id: null,
    awaited: false,
    expires_at: null,
    rollback: [],
  };
  const status = "manual-review";
  const plan = { status, actions: [], next_step: null, asked: [], ended: [] } as const;
  const checkpoint_file = writeCheckpointFile(cwd, head, plan, question);
  await changeSession(
    context,
    { ...caller, actor: "recovery" },
    {
      id: head.session_id,
      commands: () => [question, { type: "note_recovered", status, steps: [], next_step: null }],
    },
  );
  return { ...toRecovery(head, null, true), status, approval_id, checkpoint_file };
}

/** True if a person was asked, and nothing waits or is open any more. */
function isAnswered({ data }: Recovered, { approvals, actions }: SessionHead): boolean {
  return data.status === "manual-review" && approvals.length === 0 && actions.length === 0;
}

function toRecovery(head: SessionHead, said: Recovered | null, changed: boolean): SessionRecovery {
  const { session_id, agent_name, status } = head;
  return {
    session_id,
    agent_name,
    status: said?.data.status ?? "ok",
    happened: FINISHED.has(status) ? `the session is ${status}` : "nothing was under way",
    actions: [],
    next_step: said?.data.next_step ?? null,
    approval_id: pendingIn(head),
    checkpoint_file: null,
    continued_turn_id: null,
    changed,
  };
}
