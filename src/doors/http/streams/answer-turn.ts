import { BelayError, refuse } from "../../../contract/errors.ts";
import type { RunEvent } from "../../../contract/run-event.ts";
import type { SentMessage } from "../../../drive/run/follow-turn.ts";
import type { HttpParts, RouteCall } from "../http-parts.ts";
import type { SseMessage } from "./answer-sse.ts";
import { answerSse } from "./answer-sse.ts";
import { STREAM_TIMES } from "./stream-times.ts";

/** Streams the events of a message. Disconnecting does not stop the turn. */
export async function streamTurn(
  { followTurn, streamTimes = STREAM_TIMES }: HttpParts,
  call: RouteCall,
  sent: SentMessage,
): Promise<void> {
  const events = followTurn(call.caller, sent, call.signal);
  await answerSse(call, events, present, streamTimes);
}

/** Answers with the end of the turn, or with the reason why it is not finished yet. */
export async function answerTurn(
  { awaitTurn, streamTimes = STREAM_TIMES }: HttpParts,
  { caller, reply, signal }: RouteCall,
  sent: SentMessage,
): Promise<unknown> {
  const answer = await awaitTurn(caller, sent, streamTimes.answer, signal);
  const { session_id, turn_id } = sent;
  if ("content" in answer) return { ...answer, session_id, turn_id };
  if ("failure" in answer) {
    const { failure } = answer;
    throw new BelayError(refuse("agent_failed", failure, { session_id, turn_id }));
  }
  reply.code(202);
  const approval = answer.waits_for === null ? {} : { approval_id: answer.waits_for };
  return { session_id, turn_id, ...approval };
}

function present(event: RunEvent): SseMessage {
  return { event: event.type, data: event };
}
