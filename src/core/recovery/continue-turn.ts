import type { SessionCommand } from "../../contract/commands.ts";
import { CONTINUE_MESSAGE } from "../../contract/continue-message.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { ResumePolicy } from "../../contract/limits.ts";
import type { Interface } from "../../contract/vocabulary.ts";
import { isResumeReady } from "../resume/should-resume.ts";

/** A turn that kills its agent, or the whole machine, must not do so for ever. */
const MOST_CONTINUATIONS = 2;

/**
 * The message with which an interrupted turn goes on by itself after a crash, given the message that began it. Null where
 * a person decides: they wanted it to stop, something waits for them, the turn is too old or was continued often enough.
 * Where other messages wait, the first of them goes on: its agent is told of the interruption with it.
 */
export function continueTurn(
  head: SessionHead,
  begun: SessionEvent | null,
  turn_id: string,
  now: number,
  policy: ResumePolicy,
): SessionCommand<"send_message"> | null {
  if (!head.turn || begun?.type !== "message.queued") return null;
  // What a hook saw is the work of an agent that runs elsewhere.
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
 * The message with which the agent goes on because a person answered so. None where Belay does not run the agent, or where
 * another message waits: then its agent is told of the interruption with that one.
 */
export function continueAsAsked(
  { agent, queue }: SessionHead,
  turn_id: string,
  door: Interface,
): SessionCommand<"send_message">[] {
  if (agent === null || queue.length > 0) return [];
  return [{ type: "send_message", turn_id, content: CONTINUE_MESSAGE, interface: door }];
}
