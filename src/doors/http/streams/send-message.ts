import { z } from "zod";
import type { Refusal } from "../../../contract/errors.ts";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import type { HttpParts, OwnRoute } from "../http-parts.ts";
import { answerTurn, streamTurn } from "./answer-turn.ts";
import { readFields, readFlag } from "./read-request.ts";

const DOC = `Send a message to a session's agent and wait for its answer.

Returns 200 with the answer when the turn has ended. Returns 202 with \`approval_id\` when a person has to decide first (POST \
/approvals/:approval_id), and 202 without it when the turn takes longer than ten minutes or the session was suspended before \
the turn started; follow GET /sessions/:id/events then. With \`stream\`, the turn is sent as \`text/event-stream\` until it \
ends: \`event\` is the type of each event, and each piece of text comes once. With \`wait\` false, the response is 202 with \
\`session_id\` and \`turn_id\` as soon as the message is stored, and the turn runs in the background. Disconnecting does not \
stop the turn. If you repeat the request with the same \`Idempotency-Key\`, you get the answer of the same turn.`;

/** POST /sessions/:id/messages */
export function sendMessage(parts: HttpParts): OwnRoute {
  return {
    method: "POST",
    path: "/sessions/:id/messages",
    doc: DOC,
    scope: "write",
    input: OPERATIONS.send_message.input.extend({
      stream: z.boolean().default(false).describe("stream the turn as it happens"),
      wait: z
        .boolean()
        .default(true)
        .describe("wait until the turn has ended, or a person has to decide"),
    }),
    output: z.object({
      session_id: z.string(),
      turn_id: z.string(),
      content: z.string().optional(),
      status: z.string().optional().describe("completed, interrupted or cancelled"),
      approval_id: z.string().optional(),
      queue_position: OPERATIONS.send_message.output.shape.queue_position,
    }),
    async handle(call) {
      const { stream, wait, ...message } = readFields(call);
      const streams = readFlag("stream", stream);
      const waits = readFlag("wait", wait, true);
      if (streams && !waits) throw new BelayError(bothWays());
      const sent = await parts.service.call("send_message", message, call.caller);
      if (streams) return streamTurn(parts, call, sent);
      if (waits) return answerTurn(parts, call, sent);
      call.reply.code(202);
      const { seq, version, ...accepted } = sent;
      return accepted;
    },
  };
}

function bothWays(): Refusal {
  const message = '"stream" cannot be combined with "wait": false.';
  return refuse("invalid_input", message, { field: "wait" });
}
