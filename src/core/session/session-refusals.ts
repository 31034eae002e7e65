import type { SessionCommandType } from "../../contract/commands.ts";
import type { ErrorCode, Refusal } from "../../contract/errors.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";

/**
 * After a crash a person must answer first, and nothing continues before. Null if no question is
 * open.
 */
export function refuseUnrecovered({ approvals, session_id }: SessionHead): Refusal | null {
  const question = approvals.find((approval) => approval.kind === "recovery");
  if (!question) return null;
  const message = `${session_id} was interrupted. Answer its recovery question first.`;
  return refuse("recovery_pending", message, { session_id, approval_id: question.id });
}

/** Explains why a status refuses a command, and how to continue. */
export function explainStatus(
  code: ErrorCode,
  command: SessionCommandType,
  head: SessionHead,
): Refusal {
  const unrecovered = code === "session_suspended" ? refuseUnrecovered(head) : null;
  if (unrecovered && command === "send_message") return unrecovered;
  return refuse(code, `${head.session_id} ${advice(code, command)}`, {
    session_id: head.session_id,
    status: head.status,
    command,
  });
}

/**
 * The reason why a session whose agent Belay does not run accepts no message; null if only the
 * agent is missing.
 */
export function refuseMessage(head: SessionHead): Refusal | null {
  const { status, session_id, agent_name } = head;
  if (status === "completed") {
    const message = `${session_id} is completed, and Belay does not run its agent ${agent_name}. Record a turn, or fork the session.`;
    return refuse("session_completed", message, { session_id, status, command: "send_message" });
  }
  if (status === "created" || status === "active") return null;
  return explainStatus(`session_${status}`, "send_message", head);
}

function advice(code: ErrorCode, command: SessionCommandType): string {
  switch (code) {
    case "session_suspended":
      return command === "suspend" ? "is already suspended." : "is suspended. Resume it first.";
    case "session_not_suspended":
      return "is not suspended, so there is nothing to resume.";
    case "session_completed":
      return "is completed. Send it a message to continue, or fork it.";
    case "session_failed":
      return "has failed and is closed. Fork it to continue from there.";
    case "session_cancelled":
      return "was cancelled and is closed. Fork it to continue from there.";
    case "session_archived":
      return "is archived and closed. Fork it to continue from there.";
    case "nothing_to_interrupt":
      return "has no running turn.";
    case "session_exists":
      return "already exists. Choose another id.";
    default:
      return `refuses this (${code}).`;
  }
}
