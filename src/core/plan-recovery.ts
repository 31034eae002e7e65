import type { SessionCommand } from "../contract/commands.ts";
import type { RollbackStep } from "../contract/events.ts";
import type { SessionHead } from "../contract/head.ts";
import type { RecoveredAction } from "../contract/recovery.ts";
import type { Effects, RecoveryStatus, RecoveryStep } from "../contract/vocabulary.ts";
import { DIED } from "./evolve-session.ts";
import { recover } from "./recover.ts";
import type { CallOutcome } from "./settle-death.ts";
import { interrupted } from "./settle-death.ts";

/** An action that was open when its doer went: what it had said of itself, and what the world shows now. */
export interface RecoveryCase {
  readonly action_id: string;
  /** Set for a tool call of an agent that Belay ran; null for what someone declared. */
  readonly turn_id: string | null;
  readonly type: string;
  readonly title: string;
  readonly effects: Effects;
  /** Under which it may be sent again without harm. */
  readonly key: string | null;
  readonly detachable: boolean;
  readonly orphanable: boolean;
  readonly rollback: readonly RollbackStep[];
  readonly process: "alive" | "gone" | "unproven";
  readonly pid: number | null;
  /** The agent still waited for leave, so it had not begun. */
  readonly awaited_leave: boolean;
  /** What someone who can know was asked by the action's key. */
  readonly remote: "done" | "not_done" | null;
}

export interface RecoveryPolicy {
  /** What becomes of a harmless action whose process still runs. */
  readonly alive: "wait" | "rerun";
}

export interface RecoveryPlan {
  readonly actions: readonly RecoveredAction[];
  readonly status: RecoveryStatus;
  readonly next_step: string | null;
  /** What a person has to be asked about. */
  readonly asked: readonly RecoveryCase[];
  /** Whose processes are to be ended before anything is done again. */
  readonly ended: readonly RecoveryCase[];
}

/** What may safely happen next with everything that was under way. */
export function planRecovery(cases: readonly RecoveryCase[], policy: RecoveryPolicy): RecoveryPlan {
  const judged = cases.map((one) => ({ one, ...judge(one, policy) }));
  const again = judged.find(({ step }) => AGAIN.has(step));
  const asked = judged.filter(({ step }) => ASKS.has(step)).map(({ one }) => one);
  return {
    actions: judged.map(({ one, step, why }) => {
      const { action_id, type, title, effects, pid } = one;
      return { action_id, type, title, effects, process: one.process, pid, step, why };
    }),
    status: asked.length > 0 ? "manual-review" : "ok",
    next_step: again?.one.title ?? null,
    asked,
    ended: judged
      .filter(({ one, step }) => step === "rerun" && one.process === "alive" && !one.orphanable)
      .map(({ one }) => one),
  };
}

const ASKS: ReadonlySet<RecoveryStep> = new Set(["ask", "leave_and_ask", "review"]);
const AGAIN: ReadonlySet<RecoveryStep> = new Set(["rerun", "rerun_with_key", "retry"]);

function judge(
  one: RecoveryCase,
  policy: RecoveryPolicy,
): { readonly step: RecoveryStep; readonly why: string } {
  if (one.awaited_leave) return { step: "rerun", why: "it still waited for permission" };
  if (one.remote === "done") return { step: "proceed", why: "asked for by its key, it was done" };
  if (one.remote === "not_done" && one.process === "gone") {
    return { step: "rerun", why: "asked for by its key, it was not done" };
  }
  const step = recover({
    status: "started",
    effects: one.effects,
    keyed: one.key !== null,
    process: one.process,
    detachable: one.detachable,
    failures: 0,
  });
  if (step === "wait" && policy.alive === "rerun") {
    return { step: "rerun", why: "its process is ended first" };
  }
  return { step, why: WHY[step](one) };
}

const WHY: Readonly<Record<RecoveryStep, (one: RecoveryCase) => string>> = {
  proceed: () => "it is done",
  wait: ({ pid }) => `its process ${pid} still runs`,
  leave: ({ pid }) => `its process ${pid} still runs and was meant to outlive the session`,
  leave_and_ask: ({ pid }) => `its process ${pid} still runs, and may change things outside`,
  rerun: ({ effects }) =>
    effects === "none" ? "it changes nothing" : "it changes only what is on this machine",
  rerun_with_key: ({ key }) => `it may be sent again under its key ${key}`,
  ask: (one) =>
    one.process === "unproven"
      ? `process ${one.pid} exists, but nothing proves that it is the same one`
      : "it may have taken effect outside, and nobody knows",
  retry: () => "it failed without harm",
  review: () => "it failed, and may have taken effect outside",
};

/**
 * The commands that a plan comes to. What an agent of ours was doing gets its one result now; what someone declared and
 * a person is asked about stays open until the answer. A session that a person is asked about already is left alone.
 */
export function recoveryCommands(
  head: SessionHead,
  plan: RecoveryPlan,
  cases: readonly RecoveryCase[],
  question: Extract<SessionCommand, { type: "request_approval" }> | null,
): SessionCommand[] {
  const byId = new Map(cases.map((one) => [one.action_id, one]));
  const settled = [
    ...head.approvals
      .filter((approval) => approval.awaited)
      .map(
        ({ id }): SessionCommand => ({
          type: "expire_approval",
          approval_id: id,
          reason: "interrupted; the agent will ask anew",
        }),
      ),
    ...plan.actions.flatMap((action) => {
      const one = byId.get(action.action_id);
      return one ? resultOf(one, action.step) : [];
    }),
    ...(head.turn ? [endedTurn(head.turn.id)] : []),
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
          details: { title: one.title, means: "asked for by its key, it was done" },
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

function endedTurn(turn_id: string): SessionCommand {
  return { type: "end_turn", turn_id, outcome: "interrupted", error: null, usage: null };
}
