import type { SessionCommand } from "../../contract/commands.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionFact } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { FinalPhase, TurnOutcome } from "../../contract/vocabulary.ts";
import { jsonBytes } from "../text-size.ts";
import type { DecisionContext, Verdict } from "./decision.ts";
import { changePhase, refuseTooLong } from "./decision.ts";
import { placeMetadata, withPlaces } from "./metadata.ts";
import { refuseUnrecovered } from "./session-refusals.ts";

/** Commands that start, pause, end or fork a session. */
export const lifecycleHandlers = {
  create: createSession,
  fork: (command: SessionCommand<"fork">): Verdict => {
    const { type, ...data } = command;
    return (
      refuseTooLong({
        owner: [data.owner, LIMITS.OWNER],
        title: [data.title, LIMITS.TITLE],
        agent_name: [data.agent_name ?? null, LIMITS.AGENT],
      }) ?? [{ type: "session.forked", data }]
    );
  },
  set_phase: (command: SessionCommand<"set_phase">, head: SessionHead): Verdict => {
    const change = changePhase(head, command.phase);
    return change.length > 0 ? change : [{ type: "session.updated", data: {} }];
  },
  suspend: (command: SessionCommand<"suspend">, head: SessionHead): Verdict => {
    const { reason, checkpoint_id, until } = command;
    const data = { reason, checkpoint_id, ...(until === undefined ? {} : { until }) };
    return (
      refuseTooLong({
        checkpoint_id: [checkpoint_id, LIMITS.ITEM_ID],
        reason: [reason, LIMITS.SUSPEND_REASON],
      }) ?? [...makeRoom(head), { type: "session.suspended", data }]
    );
  },
  resume: (command: SessionCommand<"resume">, head: SessionHead): Verdict =>
    refuseUnrecovered(head) ?? [
      { type: "session.resumed", data: { interface: command.interface } },
    ],
  finalize: (
    command: SessionCommand<"finalize">,
    head: SessionHead,
    context: DecisionContext,
  ): Verdict => finish(head, context, command.outcome, command.summary, command.error),
  archive: (_: SessionCommand<"archive">, head: SessionHead): Verdict => [
    ...closeOpen(head, "cancelled"),
    { type: "session.archived", data: {} },
  ],
};

/**
 * Moves metadata out of the head if an older version filled the space that a refusal's text needs.
 */
function makeRoom(head: SessionHead): SessionFact[] {
  if (head.metadata_row !== undefined) return [];
  const beside = placeMetadata(head, {}, {});
  if ("error" in beside || beside.length === 0) return [];
  return [{ type: "session.updated", data: { beside: [...beside] } }];
}

export function createSession(command: SessionCommand<"create">): Verdict {
  const { type, ...data } = command;
  const project = data.project ? jsonBytes(data.project) : 0;
  if (project > LIMITS.PROJECT) {
    return refuse("too_large", `project: must have at most ${LIMITS.PROJECT} bytes.`, {
      field: "project",
      limit: LIMITS.PROJECT,
    });
  }
  const refusal = refuseTooLong({
    owner: [data.owner, LIMITS.OWNER],
    agent_name: [data.agent_name, LIMITS.AGENT],
    task_id: [data.task_id, LIMITS.TASK_ID],
    purpose: [data.purpose, LIMITS.PURPOSE],
    title: [data.title, LIMITS.TITLE],
  });
  if (refusal) return refusal;
  return withPlaces(placeMetadata(null, data.metadata, undefined), (beside) => [
    { type: "session.created", data: { ...data, ...beside } },
    // An observed session has already started.
    ...(data.observed ? [{ type: "session.activated", data: {} } as const] : []),
  ]);
}

const FINISHED = {
  // A turn that is still open did not end by itself.
  completed: { event: "session.completed", turn: "interrupted" },
  failed: { event: "session.failed", turn: "failed" },
  abandoned: { event: "session.cancelled", turn: "cancelled" },
} as const satisfies Record<FinalPhase, { event: string; turn: TurnOutcome }>;

/** Finishes a run. Every command that sets a final phase comes here. */
export function finish(
  head: SessionHead,
  context: DecisionContext,
  outcome: FinalPhase,
  summary: string | null,
  error: string | null,
): SessionFact[] {
  const duration_ms = Math.max(0, context.now - head.run_started_at);
  const { event, turn } = FINISHED[outcome];
  return [
    ...closeOpen(head, turn),
    ...changePhase(head, outcome),
    event === "session.failed"
      ? { type: event, data: { summary, duration_ms, error } }
      : { type: event, data: { summary, duration_ms } },
  ];
}

/** Closes everything that is open when a run ends, so that nothing hangs in a finished session. */
function closeOpen(head: SessionHead, outcome: TurnOutcome): SessionFact[] {
  const end = (turn_id: string, as: TurnOutcome): SessionFact => ({
    type: "turn.ended",
    data: { turn_id, outcome: as, error: null, usage: null },
  });
  return [
    ...head.actions.map(
      (action): SessionFact => ({
        type: "action.completed",
        data: { action_id: action.id, status: "interrupted", result: "interrupted", details: {} },
      }),
    ),
    ...head.approvals.map(
      (approval): SessionFact => ({
        type: "approval.expired",
        data: { approval_id: approval.id, reason: "the session ended" },
      }),
    ),
    ...(head.turn ? [end(head.turn.id, outcome)] : []),
    ...head.queue.map((message) => end(message.id, "cancelled")),
  ];
}
