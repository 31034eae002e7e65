import { createHash } from "node:crypto";
import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { SessionRecovery } from "../../contract/recovery.ts";
import { RECOVERY } from "../../contract/reserved-actor.ts";
import { continueTurn } from "../../core/recovery/continue-turn.ts";
import type {
  RecoveryCase,
  RecoveryPlan,
  RecoveryQuestion,
} from "../../core/recovery/plan-recovery.ts";
import {
  planRecovery,
  recoveryCommands,
  recoveryQuestion,
} from "../../core/recovery/plan-recovery.ts";
import { hasLeftAgent, isStale } from "../../core/recovery/stale.ts";
import { DIED } from "../../core/session/evolve-session.ts";
import { endMarked, endTree } from "../../process/process-tree.ts";
import { changeSession } from "../../service/change-session.ts";
import { findSession } from "../../service/read/find-session.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { resumePolicy } from "../../service/resume-policy.ts";
import type { Caller } from "../../service/service-context.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import type { DriveContext } from "./drive-context.ts";
import { PLAIN_RECOVERY } from "./drive-context.ts";
import type { Evidence } from "./gather-evidence.ts";
import { gatherEvidence } from "./gather-evidence.ts";
import { held, holdSession } from "./hold-session.ts";
import { removeTemporary } from "./remove-temporary.ts";
import { writeCheckpointFile } from "./write-checkpoint-file.ts";

/**
 * Recovers a session whose process died, as far as that needs no person: ends processes that were left running, gives
 * open actions a result, and asks about the rest. Null if there is nothing to recover.
 */
export async function recoverSession(
  context: DriveContext,
  caller: Caller,
  id: string,
  options: { readonly dry_run?: boolean; readonly force?: boolean } = {},
): Promise<SessionRecovery | null> {
  const found = await findSession(context, caller.owner, id);
  const { stream, head } = found;
  const isInterrupted = options.force || isStale(head, stream.lease, context.now());
  if (!isInterrupted && (options.dry_run || !hasLeftAgent(head, stream.lease))) return null;
  if (options.dry_run) {
    return planOnly(context, options.force ? { ...stream, lease: null } : stream, head);
  }
  const recover = async (epoch: number): Promise<SessionRecovery | null> => {
    // Read again, because another recovery may have just finished.
    const now = await findSession(context, caller.owner, head.session_id);
    return recoverUnderLease(context, now.stream, now.head, epoch, caller.trace_id);
  };
  return holdSession(context, stream.id, head, recover, options.force);
}

/** The same for a process that holds the session's lease, such as a driver before it starts. */
export async function recoverUnderLease(
  context: DriveContext,
  stream: StoredStream,
  head: SessionHead,
  epoch: number,
  trace_id: string | null,
): Promise<SessionRecovery | null> {
  const { grace_ms, policy, writeTimeline, isOfMember } = context.recovery ?? PLAIN_RECOVERY;
  // Every process of a session without a driver was left behind.
  await endMarked(stream.id, grace_ms);
  const by = { owner: head.owner, actor: RECOVERY, interface: head.interface, trace_id };
  const change = (commands: readonly SessionCommand[]) =>
    changeSession(context, by, { id: head.session_id, epoch, commands: () => commands });
  if (!head.turn && head.actions.length === 0) {
    // Nothing was interrupted, so the session continues to wait for its user.
    if (head.agent?.running) await change([{ type: "note_agent_stopped", reason: DIED }]);
    return null;
  }
  const evidence = await gatherEvidence(context, stream.id, head);
  const cases = evidence.map(({ one }) => one);
  const planned = planRecovery(cases, policy);
  await endProcesses(planned, evidence, grace_ms);
  const question = recoveryQuestion(planned, context.newId(), basisOf(planned.asked));
  const commands = recoveryCommands(head, planned, cases, question);
  if (commands.length === 0) return report(head, cleanUp(null, planned));
  const cwd = head.project?.cwd ?? null;
  const plan = cleanUp(cwd === null || (await isOfMember(cwd)) ? null : cwd, planned);
  const asks = commands.find((command) => command.type === "request_approval");
  // Written before the question is asked, so that the person finds it.
  const file = asks ? await writeCheckpoint(context, head, plan, asks) : null;
  await writeTimeline(stream.id, head);
  const continued = plan.status === "ok" ? await findContinuation(context, stream.id, head) : null;
  await change([...commands, ...(continued ? [continued] : [])]);
  return report(head, plan, {
    approval_id: asks?.approval_id ?? pendingIn(head),
    checkpoint_file: file,
    continued_turn_id: continued?.turn_id ?? null,
    changed: true,
  });
}

/** The message that continues the running turn after an interruption; null if a person must decide. */
export async function findContinuation(context: DriveContext, id: string, head: SessionHead) {
  const { continues } = context.recovery ?? PLAIN_RECOVERY;
  if (!continues || !head.turn || head.approvals.some(({ awaited }) => !awaited)) return null;
  const [stored] = await readEvents(context.store, id, { after: head.turn.seq - 1, limit: 1 });
  const begun = stored ? knownEvent(stored) : null;
  return continueTurn(head, begun, context.newId(), context.now(), resumePolicy());
}

/** Plans a recovery without carrying it out. */
export async function planOnly(
  context: DriveContext,
  stream: StoredStream,
  head: SessionHead,
): Promise<SessionRecovery> {
  if (stream.lease?.live) throw held(head, stream.lease.holder.name);
  const { policy } = context.recovery ?? PLAIN_RECOVERY;
  const evidence = await gatherEvidence(context, stream.id, head);
  const plan = planRecovery(
    evidence.map(({ one }) => one),
    policy,
  );
  return report(head, plan);
}

async function endProcesses(
  plan: RecoveryPlan,
  evidence: readonly Evidence[],
  grace: number,
): Promise<void> {
  const doomed = new Set(plan.ended.map(({ action_id }) => action_id));
  for (const { one, process: itself } of evidence) {
    if (itself && doomed.has(one.action_id)) await endTree(itself, { grace });
  }
}

/** Removes files that would disturb a repeat, and lists them in the plan. */
function cleanUp(root: string | null, plan: RecoveryPlan): RecoveryPlan {
  const actions = plan.actions.map((action) => ({
    ...action,
    removed: root === null ? [] : removeTemporary(root, action.removed),
  }));
  return { ...plan, actions };
}

/** A digest of the facts behind the question. If it changes, the answer would belong to another question. */
export function basisOf(asked: readonly RecoveryCase[]): string {
  const facts = asked
    .filter((one) => one.turn_id === null)
    .map(({ action_id, process, pid, remote }) => [action_id, process, pid, remote]);
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64url").slice(0, 22);
}

async function writeCheckpoint(
  context: DriveContext,
  head: SessionHead,
  plan: RecoveryPlan,
  asks: RecoveryQuestion,
): Promise<string | null> {
  const folder = await (context.recovery ?? PLAIN_RECOVERY).folderOf(head);
  try {
    return folder === null ? null : writeCheckpointFile(folder, head, plan, asks);
  } catch {
    // The question is asked anyway; it is in the log.
    return null;
  }
}

export function report(
  head: SessionHead,
  plan: RecoveryPlan,
  done: Partial<SessionRecovery> = {},
): SessionRecovery {
  return {
    session_id: head.session_id,
    agent_name: head.agent_name,
    status: plan.status,
    happened: describeInterruptedWork(head.turn !== null, head.actions.length),
    actions: [...plan.actions],
    next_step: plan.next_step,
    approval_id: pendingIn(head),
    checkpoint_file: null,
    continued_turn_id: null,
    changed: false,
    ...done,
  };
}

/** The open recovery question of a session; null if there is none. */
export function pendingIn({ approvals }: SessionHead): string | null {
  return approvals.find(({ kind }) => kind === "recovery")?.id ?? null;
}

export function describeInterruptedWork(turn: boolean, open: number): string {
  const what = [
    ...(turn ? ["a turn"] : []),
    ...(open > 0 ? [open === 1 ? "an action" : `${open} actions`] : []),
  ];
  if (what.length === 0) return "the agent's process ended unexpectedly";
  const verb = what.length === 1 && open <= 1 ? "was" : "were";
  return `${what.join(" and ")} ${verb} running when the process ended`;
}
