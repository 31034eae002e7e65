import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { RecoveryAnswer, Status } from "../../contract/vocabulary.ts";
import { continueAsAsked } from "../../core/recovery/continue-turn.ts";
import type { RecoveryCase } from "../../core/recovery/plan-recovery.ts";
import { planRecovery, rollbackOf } from "../../core/recovery/plan-recovery.ts";
import { refuseOtherKind } from "../../core/session/approval-handlers.ts";
import { interrupted } from "../../core/session/open-call.ts";
import { findApproval } from "../../service/approval/find-approval.ts";
import type { Question } from "../../service/approval/read-approvals.ts";
import { changeSession } from "../../service/change-session.ts";
import { expectScope } from "../../service/expect-scope.ts";
import { findSession } from "../../service/read/find-session.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import type { Caller } from "../../service/service-context.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { DriveContext } from "./drive-context.ts";
import { PLAIN_RECOVERY } from "./drive-context.ts";
import { driveOn } from "./drive-on.ts";
import { gatherEvidence } from "./gather-evidence.ts";
import { holdSession } from "./hold-session.ts";
import { basisOf, recoverSession } from "./recover-session.ts";
import type { RolledBack } from "./run-rollback.ts";
import { runRollback } from "./run-rollback.ts";

interface AnsweredRecovery {
  readonly approval_id: string;
  readonly answer: RecoveryAnswer;
  readonly session_id: string;
  readonly status: Status;
  readonly rollback: readonly RolledBack[];
  readonly continued_turn_id: string | null;
}

/**
 * Records a person's answer to a recovery question. The first answer counts; an answer to an outdated question is
 * refused.
 */
export async function answerRecovery(
  context: DriveContext,
  caller: Caller,
  asked: string,
  answer: RecoveryAnswer,
  dry_run: boolean,
): Promise<AnsweredRecovery> {
  const { id, approval_id } = await findApproval(context, caller, asked);
  const { head } = await findSession(context, caller.owner, id);
  const question = await readQuestion(context, id, head, approval_id);
  const asks = await stillAsked(context, caller, id, head, question);
  // The steps come from the current evidence, because an older version may have stored steps that anyone could declare.
  const steps = rollbackOf(asks);
  const { session_id } = head;
  const answered = { approval_id, answer, session_id, rollback: [], continued_turn_id: null };
  const { environmentOf, confine } = context.recovery ?? PLAIN_RECOVERY;
  if (answer === "rollback" && (dry_run || steps.length === 0)) {
    if (steps.length === 0) throw nothingToUndo(session_id);
    const rollback = steps.map((step) => ({ ...step, result: "planned" as const, output: null }));
    return { ...answered, status: head.status, rollback };
  }
  const hint = `A rollback runs commands on the server's computer. Run there: belay answer ${approval_id} rollback`;
  if (answer === "rollback") expectScope(caller.scope, "admin", hint);
  const change = (commands: (head: SessionHead) => readonly SessionCommand[], epoch?: number) =>
    changeSession(context, caller, {
      id: session_id,
      epoch,
      commands: (now) => (now ? commands(now) : []),
    });
  const decided: SessionCommand = {
    type: "decide_approval",
    approval_id,
    decision: answer === "abort" ? "rejected" : "approved",
    note: answer,
    of: "recovery",
  };
  switch (answer) {
    case "continue": {
      const runsAgent = await isAgentKnown(context, head);
      const turn_id = context.newId();
      const { head: now } = await change((now) => [
        decided,
        ...closeDeclared(now, asks),
        { type: "resume", interface: caller.interface },
        ...(runsAgent ? continueAsAsked(now, turn_id, caller.interface) : []),
      ]);
      const continued_turn_id = runsAgent ? (now.queue[0]?.id ?? null) : null;
      if (continued_turn_id) await driveOn(context, head.owner, session_id);
      return { ...answered, status: now.status, continued_turn_id };
    }
    case "abort": {
      const changed = await change(() => [
        decided,
        { type: "finalize", outcome: "abandoned", summary: "aborted after a crash", error: null },
      ]);
      return { ...answered, status: changed.head.status };
    }
    case "rollback": {
      const running = asks.find((one) => one.type === "rollback" && one.process === "alive");
      if (running) throw stillRuns(running);
      const folder = await (context.recovery ?? PLAIN_RECOVERY).folderOf(head);
      const cwd = head.project?.cwd ?? process.cwd();
      const place = await confine(cwd, environmentOf(session_id));
      const rollback = await holdSession(context, id, head, (epoch) =>
        runRollback({
          steps,
          place,
          kept:
            folder === null || folder === cwd
              ? { root: cwd, names: [".tmp", "logs"] }
              : { root: folder, names: ["logs"] },
          now: context.now,
          newId: context.newId,
          write: (commands) => change(commands, epoch),
          ordered: (now) => [decided, ...closeDeclared(now, asks)],
          done: (now) => [
            { type: "note_recovered", status: "required-rollback", steps: [], next_step: null },
            ...(now.status === "suspended" ? [] : [SUSPENDED]),
          ],
        }),
      );
      return { ...answered, status: "suspended", rollback };
    }
    default:
      return answer satisfies never;
  }
}

/** An agent that was removed from the settings cannot continue, so the answer only unblocks the session. */
async function isAgentKnown(
  { agents }: DriveContext,
  { agent_name, project }: SessionHead,
): Promise<boolean> {
  return (await agents?.knows(agent_name, project?.cwd ?? process.cwd())) ?? true;
}

const SUSPENDED: SessionCommand = {
  type: "suspend",
  reason: "approval",
  checkpoint_id: null,
};

/** Closes the declared actions that the question was about as unknown; they are not repeated. */
function closeDeclared({ actions }: SessionHead, asked: readonly RecoveryCase[]): SessionCommand[] {
  return asked
    .filter((one) => actions.some(({ id }) => id === one.action_id))
    .map((one) => interrupted(one, "unknown"));
}

/** Refuses unless it is an open question of recovery. */
export async function readQuestion(
  { store }: DriveContext,
  id: string,
  head: SessionHead,
  approval_id: string,
): Promise<Question> {
  const open = head.approvals.find((approval) => approval.id === approval_id);
  if (!open) {
    const message = "This question was already answered, or is no longer open.";
    throw new BelayError(refuse("approval_closed", message, { approval_id }));
  }
  const misunderstood = refuseOtherKind(open, "recovery");
  if (misunderstood) throw new BelayError(misunderstood);
  const [stored] = await readEvents(store, id, { after: open.seq - 1, limit: 1 });
  const event = stored && knownEvent(stored);
  if (event?.type === "approval.requested") return event;
  throw new BelayError(refuse("internal", "The question is not in the log.", { approval_id }));
}

/** The actions that the question is about. If the facts changed, the question is void and a new one is asked. */
async function stillAsked(
  context: DriveContext,
  caller: Caller,
  id: string,
  head: SessionHead,
  { data }: Question,
): Promise<readonly RecoveryCase[]> {
  const { policy } = context.recovery ?? PLAIN_RECOVERY;
  const evidence = await gatherEvidence(context, id, head);
  const { asked } = planRecovery(
    evidence.map(({ one }) => one),
    policy,
  );
  if (data.basis === undefined || basisOf(asked) === data.basis) return asked;
  const { approval_id } = data;
  const reason = "The situation has changed since this question was asked.";
  await changeSession(context, caller, {
    id: head.session_id,
    commands: () => [{ type: "expire_approval", approval_id, reason }],
  });
  const anew = await recoverSession(context, caller, head.session_id, { force: true });
  const next = anew?.approval_id
    ? ` Answer the new question ${anew.approval_id}.`
    : " Nothing is left to answer.";
  throw new BelayError(
    refuse("approval_closed", `${reason}${next}`, { approval_id, asked_anew: anew?.approval_id }),
  );
}

function nothingToUndo(session_id: string): BelayError {
  const message = `The actions of ${session_id} have no rollback steps. Answer "continue" or "abort".`;
  return new BelayError(refuse("invalid_input", message, { session_id }));
}

/** A step of an interrupted rollback still runs. Starting it again would run it twice. */
function stillRuns({ title, pid }: RecoveryCase): BelayError {
  const message = `${title} still runs (process ${pid}). Wait until it has ended, then answer again.`;
  return new BelayError(refuse("session_held", message, { pid }));
}
