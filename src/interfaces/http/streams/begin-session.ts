import { createHash } from "node:crypto";
import { z } from "zod";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import type { Session } from "../../../contract/session.ts";
import type { SentMessage } from "../../../service/run/follow-turn.ts";
import { titleOf } from "../../../service/run/run-agent.ts";
import type { HttpParts, OwnRoute, RouteCall } from "../http-parts.ts";
import { streamTurn } from "./answer-turn.ts";
import { isRecord, readFields, readFlag } from "./read-request.ts";

const DOC = `Begin a session; \`initial_message\` becomes its first prompt.

Answers the session as it was created, and with a message the \`turn_id\` that will answer it; with \`stream\` that turn is \
told as \`text/event-stream\`, as by POST /sessions/:id/messages. An \`Idempotency-Key\` covers both: the same request again \
answers the same session and sends nothing twice.`;

/** POST /sessions */
export function beginSession(parts: HttpParts): OwnRoute {
  return {
    method: "POST",
    path: "/sessions",
    doc: DOC,
    scope: "write",
    input: OPERATIONS.create.input.extend({
      initial_message: z.string().min(1).optional(),
      stream: z.boolean().default(false),
    }),
    output: OPERATIONS.create.output,
    async handle(call) {
      const { initial_message: message, stream, ...fields } = readFields(call);
      const streams = readFlag("stream", stream);
      if (message === undefined) {
        if (streams) throw invalid("stream", "there is nothing to stream without initial_message");
        return begun(call, await parts.service.call("create", fields, call.caller));
      }
      if (typeof message !== "string" || message === "") {
        throw invalid("initial_message", "initial_message is a text, and not empty");
      }
      await expectAgent(parts, fields);
      const titled = { title: titleOf(message) || undefined, ...fields };
      const session = await parts.service.call("create", titled, call.caller);
      const sent = await sendFirst(parts, call, session, message, fields.idempotency_key);
      begun(call, session);
      return streams ? streamTurn(parts, call, sent) : { ...session, turn_id: sent.turn_id };
    },
  };
}

/** Nothing is begun for an agent that cannot be run here. */
async function expectAgent(parts: HttpParts, fields: Record<string, unknown>): Promise<void> {
  const { agent_name, project } = fields;
  const cwd = isRecord(project) ? project.cwd : undefined;
  // What is no name is refused with all else that is wrong with a new session.
  if (typeof agent_name !== "string") return;
  await parts.expectAgent(agent_name, typeof cwd === "string" ? cwd : process.cwd());
}

/** Under a key of its own: the caller may have used theirs for a message already. */
async function sendFirst(
  { service }: HttpParts,
  { caller }: RouteCall,
  { session_id }: Session,
  message: string,
  key: unknown,
): Promise<SentMessage> {
  const own = typeof key === "string" ? { idempotency_key: firstKey(key) } : {};
  try {
    return await service.call("send_message", { id: session_id, message, ...own }, caller);
  } catch (error) {
    if (!(error instanceof BelayError)) throw error;
    const details = { ...error.details, session_id };
    throw new BelayError({ ...error.toJSON(), details }, error);
  }
}

function firstKey(key: string): string {
  return `first:${createHash("sha256").update(key).digest("base64url")}`;
}

function begun({ reply }: RouteCall, session: Session): Session {
  reply.code(201).header("location", `/sessions/${encodeURIComponent(session.session_id)}`);
  return session;
}

function invalid(field: string, message: string): BelayError {
  return new BelayError(refuse("invalid_input", message, { field }));
}
