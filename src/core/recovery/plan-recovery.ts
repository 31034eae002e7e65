import type { RollbackStep } from "../../contract/action/intent.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { RecoveredAction } from "../../contract/recovery.ts";
import { shortenText } from "../../contract/visible-text.ts";
import type { RecoveryStatus, RecoveryStep } from "../../contract/vocabulary.ts";
import { DIED } from "../session/evolve-session.ts";
import type { CallOutcome, OpenCall } from "../session/open-call.ts";
import { interrupted } from "../session/open-call.ts";
import { ASKS, recover } from "./recover.ts";

/**
 * An action that was open when its process ended: its declaration, and the evidence found now. It
 * has a turn if an agent that Belay ran was doing it, and none if another caller declared it.
 */
export interface RecoveryCase extends OpenCall {
  readonly type: string;
  /**
   * The action was open, or the last completed one failed. `failures` counts the failures in a row.
   */
  readonly status: "started" | "failed";
  readonly failures: number;
  /** The key with which the action can safely be sent again. */
  readonly key: string | null;
  readonly detachable: boolean;
  readonly orphanable: boolean;
  readonly rollback: readonly RollbackStep[];
  readonly temporary: readonly string[];
  readonly process: "alive" | "gone" | "unproven";
  readonly pid: number | null;
  /** The end of the output of its process. */
  readonly tail: string | null;
  /** The answer of the status query for the action's key. */
  readonly remote: "done" | "not_done" | null;
}

export interface RecoveryPolicy {
  /** The treatment of a harmless action whose process still runs. */
  readonly alive: "wait" | "rerun";
}

export interface RecoveryPlan {
  readonly actions: readonly RecoveredAction[];
  readonly status: RecoveryStatus;
  readonly next_step: string | null;
  /** The actions that a person must be asked about. */
  readonly asked: readonly RecoveryCase[];
  /** The actions whose processes must be ended before anything is repeated. */
  readonly ended: readonly RecoveryCase[];
}

/** Plans the safe next step for everything that was under way. */
export function planRecovery(cases: readonly RecoveryCase[], policy: RecoveryPolicy): RecoveryPlan {
  const judged = cases.map((one) => ({ one, ...judge(one, policy) }));
  const again = judged.find(({ step }) => AGAIN.has(step));
  const asked = judged.filter(({ step }) => ASKS.has(step)).map(({ one }) => one);
  return {
    actions: judged.map(({ one, step, why }) => {
      const { action_id, type, title, effects, pid, tail } = one;
      const removed = isCleaned(one, step) ? [...one.temporary] : [];
      return {
        ...{ action_id, type, title, effects, process: one.process, pid, step, why, tail },
        removed,
      };
    }),
    status: asked.length > 0 ? "manual-review" : "ok",
    next_step: again?.one.title ?? null,
    asked,
    ended: judged
      .filter(({ one, step }) => step === "rerun" && one.process === "alive" && !one.orphanable)
      .map(({ one }) => one),
  };
}

/**
 * Partial results on this machine would disturb a repeat, so they are removed. Elsewhere they may
 * be useful.
 */
function isCleaned({ effects }: RecoveryCase, step: RecoveryStep): boolean {
  return (effects === "none" || effects === "local") && (step === "rerun" || step === "retry");
}

const AGAIN: ReadonlySet<RecoveryStep> = new Set(["rerun", "rerun_with_key", "retry"]);

function judge(
  one: RecoveryCase,
  policy: RecoveryPolicy,
): { readonly step: RecoveryStep; readonly why: string } {
  if (one.awaited_leave) return { step: "rerun", why: "it was still waiting for permission" };
  if (one.remote === "done")
    return { step: "proceed", why: "a check by its key found that it was done" };
  if (one.remote === "not_done" && one.process === "gone") {
    return { step: "rerun", why: "a check by its key found that it was not done" };
  }
  const step = recover({
    status: one.status,
    effects: one.effects,
    keyed: one.key !== null,
    process: one.process,
    detachable: one.detachable,
    failures: one.failures,
  });
  // A process that must not be ended is waited for, so that the action never runs twice at once.
  if (step === "wait" && policy.alive === "rerun" && !one.orphanable) {
    return { step: "rerun", why: "its process is stopped first" };
  }
  return { step, why: WHY[step](one) };
}

const WHY: Readonly<Record<RecoveryStep, (one: RecoveryCase) => string>> = {
  proceed: () => "it is done",
  wait: ({ pid }) => `its process ${pid} is still running`,
  leave: ({ pid }) => `its process ${pid} is still running and was meant to outlive the session`,
  leave_and_ask: ({ pid }) =>
    `its process ${pid} is still running and may change things outside this machine`,
  rerun: ({ effects }) =>
    effects === "none" ? "it changes nothing" : "it changes only this machine",
  rerun_with_key: ({ key }) => `its key ${key} makes a repeat harmless`,
  ask: (one) =>
    one.process === "unproven"
      ? `process ${one.pid} may be this action or another program`
      : "it may already have changed something outside this machine",
  retry: ({ failures }) => `it failed ${failures} time(s) and changed nothing outside this machine`,
  review: ({ failures, effects }) =>
    effects === "none" || effects === "local"
      ? `it failed ${failures} times`
      : "it failed and may have changed something outside this machine",
};

export type RecoveryQuestion = SessionCommand<"request_approval">;

/** One question about all actions that need a person; null if there are none. */
export function recoveryQuestion(
  plan: RecoveryPlan,
  approval_id: string,
  basis?: string,
): RecoveryQuestion | null {
  const { asked, actions } = plan;
  const [first] = asked;
  if (!first) return null;
  const title =
    asked.length === 1
      ? `${first.title} was interrupted. It may already have run.`
      : `${asked.length} actions were interrupted. They may already have run.`;
  const rollback = rollbackOf(asked);
  const why = new Map(actions.map((action) => [action.action_id, action.why]));
  return {
    type: "request_approval",
    approval_id,
    kind: "recovery",
    title: shortenText(title, LIMITS.TITLE),
    body: [
      `${asked.length === 1 ? "This action was" : "These actions were"} interrupted. The outcome is unknown:`,
      ...asked.map((one) => `- ${one.title} (effects: ${one.effects}): ${why.get(one.action_id)}`),
      `Continue without running ${asked.length === 1 ? "it" : "them"} again, ${rollback.length > 0 ? "run the rollback steps, " : ""}or abort and end the session.`,
    ].join("\n"),
    action_id: first.action_id,
    awaited: false,
    expires_at: null,
    rollback,
    basis,
  };
}

/** The rollback steps, newest action first. */
export function rollbackOf(asked: readonly RecoveryCase[]): RollbackStep[] {
  return asked.toReversed().flatMap((one) => [...one.rollback]);
}

/**
 * Settles the open calls of an agent whose driver saw it die. Actions that others declared stay
 * open.
 */
export function settleCalls(
  head: SessionHead,
  calls: readonly OpenCall[],
  approval_id: string,
): { readonly commands: readonly SessionCommand[]; readonly question: RecoveryQuestion | null } {
  const cases = calls.map(caseOf);
  const plan = planRecovery(cases, { alive: "wait" });
  const commands = recoveryCommands(head, plan, cases, null);
  return { commands, question: recoveryQuestion(plan, approval_id) };
}

/** A tool call has no process of its own: it ended with its agent. */
export function caseOf(call: OpenCall): RecoveryCase {
  return {
    ...call,
    type: "tool call",
    status: "started",
    failures: 0,
    key: null,
    detachable: false,
    orphanable: false,
    rollback: [],
    temporary: [],
    process: "gone",
    pid: null,
    tail: null,
    remote: null,
  };
}

/**
 * The commands that carry out a plan. Open tool calls of an agent that Belay ran get their only result now. A declared
 * action that a person is asked about stays open until the answer. Nothing is done for a session that already has such
 * a question.
 */
export function recoveryCommands(
  head: SessionHead,
  plan: RecoveryPlan,
  cases: readonly RecoveryCase[],
  question: RecoveryQuestion | null,
): SessionCommand[] {
  const byId = new Map(cases.map((one) => [one.action_id, one]));
  const settled = [
    ...head.approvals
      .filter((approval) => approval.awaited)
      .map(
        ({ id }): SessionCommand => ({
          type: "expire_approval",
          approval_id: id,
          reason: "interrupted; the agent will ask again",
        }),
      ),
    ...plan.actions.flatMap((action) => {
      const one = byId.get(action.action_id);
      return one ? resultOf(one, action.step) : [];
    }),
    ...(head.turn ? [endedTurn(head.turn.id, head.interrupt_requested)] : []),
    ...(head.agent?.running ? [{ type: "note_agent_stopped", reason: DIED } as const] : []),
  ];
  const asks = head.approvals.some((approval) => approval.kind === "recovery") ? null : question;
  if (settled.length === 0 && !asks) return [];
  const steps = plan.actions.map(({ action_id, type, title, step }) => ({
    ...{ action_id, type, title, step },
  }));
  return [
    ...settled,
    ...(asks ? [asks] : []),
    { type: "note_recovered", status: plan.status, steps, next_step: plan.next_step },
  ];
}

function resultOf(one: RecoveryCase, step: RecoveryStep): SessionCommand[] {
  if (one.status === "failed") return [];
  const close = (outcome: CallOutcome): SessionCommand[] => [
    interrupted(one, one.awaited_leave ? "never_ran" : outcome),
  ];
  switch (step) {
    case "rerun":
    case "rerun_with_key":
    case "retry":
      return close("repeatable");
    case "proceed":
      return [
        {
          type: "complete_action",
          action_id: one.action_id,
          status: "completed",
          result: "success",
          details: { title: one.title, means: "a check by its key found that it was done" },
        },
      ];
    case "ask":
    case "leave_and_ask":
    case "review":
      return one.turn_id === null ? [] : close("unknown");
    case "wait":
    case "leave":
      return [];
    default:
      return step satisfies never;
  }
}

/** A turn that someone asked to stop is cancelled, so that it is not continued. */
function endedTurn(turn_id: string, isUnwanted: boolean): SessionCommand {
  const outcome = isUnwanted ? "cancelled" : "interrupted";
  return { type: "end_turn", turn_id, outcome, error: null, usage: null };
}
