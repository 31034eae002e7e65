import type { SessionCommand, SessionCommandType } from "../../contract/commands.ts";
import { COMMAND_SIDE } from "../../contract/commands.ts";
import type { Refusal } from "../../contract/errors.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionFact } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { approvalHandlers } from "./approval-handlers.ts";
import type { DecisionContext, Verdict } from "./decision.ts";
import { createSession, lifecycleHandlers } from "./lifecycle-handlers.ts";
import { noteHandlers } from "./note-handlers.ts";
import { explainStatus, refuseUnrecovered } from "./session-refusals.ts";
import { STATUS_RULES } from "./status-rules.ts";
import { workHandlers } from "./work-handlers.ts";

/** Decides every change of a session: a command on the current head becomes facts or a refusal. */
export function decideSession(
  given: SessionCommand,
  head: SessionHead | null,
  context: DecisionContext,
): Verdict {
  const command = asFinalizing(given);
  if (!head) return decideFirst(command);
  const held = fence(command.type, context);
  if (held) return held;
  if (head.deleted && !STILL_WORKS_IN_TRASH.has(command.type)) {
    return refuse(
      "session_deleted",
      `Session ${head.session_id} is in the trash. Restore it first.`,
      {
        session_id: head.session_id,
      },
    );
  }
  const rule = STATUS_RULES[command.type][head.status];
  switch (rule) {
    case "ok":
      return handle(command, head, context);
    case "activate":
      return after([{ type: "session.activated", data: {} }], command, head, context);
    case "wake":
      return (
        refuseUnrecovered(head) ??
        after(
          [{ type: "session.resumed", data: { interface: head.interface } }],
          command,
          head,
          context,
        )
      );
    case "continue":
      return after(
        [
          { type: "session.continued", data: { interface: interfaceOf(command, head) } },
          { type: "phase.changed", data: { from: head.phase, to: "initializing" } },
        ],
        command,
        { ...head, phase: "initializing" },
        context,
      );
    default:
      return explainStatus(rule, command.type, head);
  }
}

const STILL_WORKS_IN_TRASH: ReadonlySet<SessionCommandType> = new Set([
  "undelete",
  "unshare",
  "fork",
  "append_part",
  "end_turn",
  "complete_action",
  "expire_approval",
]);

/** Setting a final phase means finalizing, in every status. */
function asFinalizing(command: SessionCommand): SessionCommand {
  if (command.type !== "set_phase") return command;
  const { phase: outcome, summary } = command;
  return outcome === "completed" || outcome === "failed" || outcome === "abandoned"
    ? { type: "finalize", outcome, summary, error: null }
    : command;
}

function decideFirst(command: SessionCommand): Verdict {
  if (command.type !== "create") {
    return refuse("session_not_found", "Session not found.");
  }
  return createSession(command);
}

function interfaceOf(command: SessionCommand, head: SessionHead) {
  return command.type === "send_message" ? command.interface : head.interface;
}

function after(
  prelude: readonly SessionFact[],
  command: SessionCommand,
  head: SessionHead,
  context: DecisionContext,
): Verdict {
  const facts = handle(command, { ...head, status: "active" }, context);
  return "error" in facts ? facts : [...prelude, ...facts];
}

/** At most one of two drivers can write: a driver's command only counts under the current lease. */
function fence(type: SessionCommandType, context: DecisionContext): Refusal | null {
  if (COMMAND_SIDE[type] === "outside" && context.epoch === null) return null;
  if (context.epoch === null) {
    if (!context.lease?.live) return null;
    return refuse(
      "session_held",
      `The session is run by ${context.lease.holder.name}. Wait until it has finished.`,
      {
        holder: context.lease.holder,
      },
    );
  }
  if (context.lease?.epoch === context.epoch && context.lease.live) return null;
  return refuse("lease_lost", LOST, {
    epoch: context.epoch,
    holder: context.lease?.holder ?? null,
  });
}

const LOST =
  "This process no longer runs the session: another process took it over, or the lease expired. Stop writing to it.";

type Handlers = {
  readonly [K in SessionCommandType]: (
    command: SessionCommand<K>,
    head: SessionHead,
    context: DecisionContext,
  ) => Verdict;
};

const handlers: Handlers = {
  ...lifecycleHandlers,
  ...noteHandlers,
  ...approvalHandlers,
  ...workHandlers,
};

/** Decides a command that the status rules allow. */
function handle<K extends SessionCommandType>(
  command: SessionCommand<K>,
  head: SessionHead,
  context: DecisionContext,
): Verdict {
  return handlers[command.type](command, head, context);
}
