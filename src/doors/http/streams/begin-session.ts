import { z } from "zod";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import type { Session } from "../../../contract/session.ts";
import { beginSession as startSession } from "../../../drive/run/begin-session.ts";
import type { HttpParts, OwnRoute, RouteCall } from "../http-parts.ts";
import { streamTurn } from "./answer-turn.ts";
import { readFields, readFlag } from "./read-request.ts";

const DOC = `Create a session; \`initial_message\` becomes its first prompt.

Returns the new session and, with a message, the \`turn_id\` of its answer. With \`stream\` the turn is sent as \
\`text/event-stream\`, as with POST /sessions/:id/messages. An \`Idempotency-Key\` covers both: if you repeat the request, it \
returns the same session and sends no second message.`;

/** POST /sessions */
export function beginSession(parts: HttpParts): OwnRoute {
  return {
    method: "POST",
    path: "/sessions",
    doc: DOC,
    // With a message it also starts an agent, which needs a higher scope: see beginSession of the service.
    scope: OPERATIONS.create.scope,
    input: OPERATIONS.create.input.extend({
      initial_message: z.string().min(1).optional(),
      stream: z.boolean().default(false),
    }),
    output: OPERATIONS.create.output,
    async handle(call) {
      const { initial_message: message, stream, ...fields } = readFields(call);
      const streams = readFlag("stream", stream);
      if (message === undefined) {
        if (streams) throw invalid("stream", "stream: requires initial_message.");
        return begun(call, await parts.service.call("create", fields, call.caller));
      }
      const { session, sent } = await startSession(parts, fields, message, call.caller);
      begun(call, session);
      return streams ? streamTurn(parts, call, sent) : { ...session, turn_id: sent.turn_id };
    },
  };
}

function begun({ reply }: RouteCall, session: Session): Session {
  reply.code(201).header("location", `/sessions/${encodeURIComponent(session.session_id)}`);
  return session;
}

function invalid(field: string, message: string): BelayError {
  return new BelayError(refuse("invalid_input", message, { field }));
}
