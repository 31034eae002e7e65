import { z } from "zod";
import { OPERATIONS } from "../../../contract/operations.ts";
import type { HttpParts, OwnRoute } from "../http-parts.ts";
import { answerTurn, streamTurn } from "./answer-turn.ts";
import { readFields, readFlag } from "./read-request.ts";

const DOC = `Send a message to a session's agent and wait for its answer.

Answers 200 with the answer when the turn is over, 202 with \`approval_id\` when a person has to decide first (POST \
/approvals/:approval_id), and 202 without one when it takes longer than ten minutes or the session was suspended before it \
began; GET /sessions/:id/events tells how it goes on. With \`stream\`, what happens is told as \`text/event-stream\` until \
the turn is over: \`event\` is the type of what happened, and each piece of text comes once. Whoever goes away leaves the \
turn running; sent again with its \`Idempotency-Key\`, a message is answered by the same turn.`;

/** POST /sessions/:id/messages */
export function sendMessage(parts: HttpParts): OwnRoute {
  return {
    method: "POST",
    path: "/sessions/:id/messages",
    doc: DOC,
    scope: "write",
    input: OPERATIONS.send_message.input.extend({ stream: z.boolean().default(false) }),
    output: z.object({
      session_id: z.string(),
      turn_id: z.string(),
      content: z.string().optional(),
      status: z.string().optional().describe("completed, interrupted or cancelled"),
      approval_id: z.string().optional(),
    }),
    async handle(call) {
      const { stream, ...message } = readFields(call);
      const streams = readFlag("stream", stream);
      const sent = await parts.service.call("send_message", message, call.caller);
      return streams ? streamTurn(parts, call, sent) : answerTurn(parts, call, sent);
    },
  };
}
