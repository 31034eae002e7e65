import type { SessionCommand } from "../../contract/commands.ts";
import type { Refusal } from "../../contract/errors.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { DecisionContext, Verdict } from "./decision.ts";
import { changePhase, refuseTooLong } from "./decision.ts";

/**
 * Handles messages, turns and actions. If a driver sends the command (it has an epoch), the phase
 * follows the work automatically.
 */
export const workHandlers = {
  send_message: (command: SessionCommand<"send_message">, head: SessionHead): Verdict => {
    const { turn_id, content, continues } = command;
    if (head.turn?.id === turn_id || head.queue.some((queued) => queued.id === turn_id)) {
      return refuse(
        "turn_open",
        `Turn ${turn_id} is not finished. Wait for it, or use another turn id.`,
        { turn_id },
      );
    }
    if (head.queue.length >= LIMITS.QUEUED_MESSAGES) {
      return refuse(
        "limit_reached",
        "Too many messages are waiting. Wait until the agent has answered some.",
        {
          limit: LIMITS.QUEUED_MESSAGES,
        },
      );
    }
    return (
      refuseTooLong({ turn_id: [turn_id, LIMITS.ITEM_ID] }) ?? [
        { type: "message.queued", data: { turn_id, content, ...(continues && { continues }) } },
      ]
    );
  },
  interrupt: (_: SessionCommand<"interrupt">, head: SessionHead): Verdict => {
    // Messages that no agent has started to answer are withdrawn.
    if (!head.turn && head.queue.length > 0) {
      return head.queue.map(({ id: turn_id }) => ({
        type: "turn.ended",
        data: { turn_id, outcome: "cancelled", error: null, usage: null },
      }));
    }
    // A turn that a crash cut off can be interrupted in the same way.
    return head.turn || head.last_turn === "interrupted"
      ? [{ type: "interrupt.requested", data: {} }]
      : refuse("nothing_to_interrupt", `${head.session_id} has no running turn.`, {
          session_id: head.session_id,
        });
  },
  /** A running turn is interrupted before the handoff. */
  handoff: ({ to, known }: SessionCommand<"handoff">, head: SessionHead): Verdict => {
    if (head.agent_name === to) return [];
    const stops = head.turn && !head.interrupt_requested;
    return (
      refuseTooLong({ agent_name: [to, LIMITS.AGENT] }) ?? [
        ...(stops ? [{ type: "interrupt.requested", data: {} } as const] : []),
        { type: "session.handed_off", data: { from: head.agent_name, to, agent: known } },
      ]
    );
  },
  note_agent_started: (
    command: SessionCommand<"note_agent_started">,
    _: SessionHead,
    { epoch }: DecisionContext,
  ): Verdict => {
    const { type, ...started } = command;
    const data = { ...started, ...(epoch !== null && { epoch }) };
    return (
      refuseTooLong({ agent_session_id: [data.agent_session_id, LIMITS.AGENT_SESSION] }) ?? [
        { type: "agent.started", data },
      ]
    );
  },
  note_imported: (command: SessionCommand<"note_imported">): Verdict => {
    const { type, ...data } = command;
    return (
      refuseTooLong({
        source: [data.source, LIMITS.ITEM_ID],
        conversation_id: [data.conversation_id, LIMITS.SESSION_ID.max],
        turn_id: [data.turn_id, LIMITS.ITEM_ID],
        agent_session_id: [data.agent_session_id, LIMITS.AGENT_SESSION],
      }) ?? [{ type: "session.imported", data }]
    );
  },
  note_recovered: (command: SessionCommand<"note_recovered">): Verdict => {
    const { status, steps, next_step } = command;
    return [{ type: "session.recovered", data: { status, steps: [...steps], next_step } }];
  },
  note_agent_stopped: (command: SessionCommand<"note_agent_stopped">): Verdict => [
    { type: "agent.stopped", data: { reason: command.reason } },
  ],
  record_turn: (command: SessionCommand<"record_turn">): Verdict => {
    const { type, ...data } = command;
    return (
      refuseTooLong({ turn_id: [data.turn_id, LIMITS.ITEM_ID] }) ?? [
        { type: "turn.recorded", data },
      ]
    );
  },
  start_turn: (
    command: SessionCommand<"start_turn">,
    head: SessionHead,
    context: DecisionContext,
  ): Verdict => {
    const { turn_id, content, agent } = command;
    if (agent !== undefined && agent !== head.agent_name) {
      const message = `${head.session_id} was handed to ${head.agent_name}. That agent answers the message.`;
      return refuse("session_held", message, { agent: head.agent_name });
    }
    const isQueued = head.queue.some(({ id }) => id === turn_id);
    // The message was withdrawn while the driver prepared its turn.
    if (agent !== undefined && content === null && !isQueued) return turnNotFound(turn_id);
    if (head.turn) {
      return refuse(
        "turn_open",
        `Turn ${head.turn.id} is not finished. Wait for it, or interrupt it.`,
        {
          turn_id: head.turn.id,
        },
      );
    }
    return (
      refuseTooLong({ turn_id: [turn_id, LIMITS.ITEM_ID] }) ?? [
        { type: "turn.started", data: { turn_id, content } },
        ...(driven(context) ? changePhase(head, "investigating") : []),
      ]
    );
  },
  append_part: (
    command: SessionCommand<"append_part">,
    head: SessionHead,
    context: DecisionContext,
  ): Verdict => {
    const { type, ...data } = command;
    return (
      refuseOtherTurn(head, data.turn_id) ?? [
        { type: "turn.part", data },
        ...(driven(context) && data.kind === "plan" ? changePhase(head, "planning") : []),
      ]
    );
  },
  end_turn: (
    command: SessionCommand<"end_turn">,
    head: SessionHead,
    context: DecisionContext,
  ): Verdict => {
    const { type, ...data } = command;
    return (
      refuseOtherTurn(head, data.turn_id) ?? [
        { type: "turn.ended", data },
        ...(driven(context) && head.approvals.length === 0
          ? changePhase(head, "investigating")
          : []),
      ]
    );
  },
  begin_action: (command: SessionCommand<"begin_action">, head: SessionHead): Verdict => {
    const { type: _command, ...rest } = command;
    const { action_type, done, ...intent } = rest;
    const { action_id } = intent;
    if (done !== undefined) {
      const message = `Action ${action_id} was already completed. Use its result, or another id.`;
      return refuse("action_exists", message, { action_id, place: done });
    }
    if (head.actions.length >= LIMITS.OPEN_ACTIONS) {
      return refuse("limit_reached", "Too many actions are open. Complete one first.", {
        limit: LIMITS.OPEN_ACTIONS,
      });
    }
    if (head.actions.some((open) => open.id === action_id)) {
      return refuse(
        "action_exists",
        `Action ${action_id} was already started. Complete it, or use another id.`,
        { action_id },
      );
    }
    return (
      refuseTooLong({ action_id: [action_id, LIMITS.ITEM_ID] }) ?? [
        { type: "action.started", data: { ...intent, type: action_type } },
      ]
    );
  },
  describe_action: (command: SessionCommand<"describe_action">, head: SessionHead): Verdict => {
    const { type, action_type, ...described } = command;
    const data = { ...described, ...(action_type === undefined ? {} : { type: action_type }) };
    return refuseUnknownAction(head, data.action_id) ?? [{ type: "action.described", data }];
  },
  complete_action: (command: SessionCommand<"complete_action">, head: SessionHead): Verdict => {
    const { type, ...data } = command;
    return refuseUnknownAction(head, data.action_id) ?? [{ type: "action.completed", data }];
  },
};

function driven(context: DecisionContext): boolean {
  return context.epoch !== null;
}

function refuseUnknownAction(head: SessionHead, action_id: string): Refusal | null {
  if (head.actions.some((open) => open.id === action_id)) return null;
  return refuse(
    "action_not_found",
    `Action ${action_id} does not exist or was already completed.`,
    { action_id },
  );
}

function refuseOtherTurn(head: SessionHead, turn_id: string): Refusal | null {
  return head.turn?.id === turn_id ? null : turnNotFound(turn_id);
}

function turnNotFound(turn_id: string): Refusal {
  return refuse(
    "turn_not_found",
    `Turn ${turn_id} is not running. It has ended, or never started.`,
    { turn_id },
  );
}
