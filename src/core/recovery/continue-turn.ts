import type { SessionCommand } from "../../contract/commands.ts";
import { CONTINUE_MESSAGE } from "../../contract/continue-message.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { ResumePolicy } from "../../contract/limits.ts";
import type { Interface } from "../../contract/vocabulary.ts";
import { isResumeReady } from "../resume/should-resume.ts";

/** A turn that crashes its agent or the machine must not be retried forever. */
const MOST_CONTINUATIONS = 2;

/**
 * The message that continues an interrupted turn after a crash, based on the message that started
 * it. Null if a person must decide: they asked to stop, something waits for them, the turn is too
 * old or was continued too often. If other messages wait, the first of them continues the session
 * and tells the agent about the interruption.
 */
export function continueTurn(
  head: SessionHead,
  begun: SessionEvent | null,
  turn_id: string,
  now: number,
  policy: ResumePolicy,
): SessionCommand<"send_message"> | null {
  if (!head.turn || begun?.type !== "message.queued") return null;
  // A turn reported by a hook belongs to an agent that Belay does not run.
  if (begun.interface === "hook" || head.interrupt_requested || head.queue.length > 0) return null;
  if (head.status !== "active" || !isResumeReady(head)) return null;
  if (now - head.updated_at >= policy.idle_ms || head.error_count >= policy.max_errors) return null;
  const { turn_id: first, nth } = begun.data.continues ?? { turn_id: head.turn.id, nth: 0 };
  if (nth >= MOST_CONTINUATIONS) return null;
  return {
    type: "send_message",
    turn_id,
    content: CONTINUE_MESSAGE,
    interface: head.interface,
    continues: { turn_id: first, nth: nth + 1 },
  };
}

/**
 * The message that continues the turn after a person chose to continue. Null if Belay does not run
 * the agent, or if another message waits: that message then tells the agent about the interruption.
 */
export function continueAsAsked(
  { agent, queue }: SessionHead,
  turn_id: string,
  door: Interface,
): SessionCommand<"send_message">[] {
  if (agent === null || queue.length > 0) return [];
  return [{ type: "send_message", turn_id, content: CONTINUE_MESSAGE, interface: door }];
}
