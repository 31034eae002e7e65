import { createHash } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import type { Session } from "../../contract/session.ts";
import { titleOf } from "../../core/session/title-of.ts";
import type { BelayService } from "../../service/belay-service.ts";
import { expectScope } from "../../service/expect-scope.ts";
import type { Caller } from "../../service/service-context.ts";
import type { SentMessage } from "./follow-turn.ts";

interface Beginning {
  readonly service: BelayService;
  /** Throws if the agent cannot be run for this owner in this folder. */
  expectAgent(owner: string, name: string, cwd: string): Promise<(id: string) => void>;
}

/**
 * Creates a session and sends its first message. An idempotency key covers both: a repeated call returns the same
 * session and sends nothing twice.
 */
export async function beginSession(
  parts: Beginning,
  fields: Readonly<Record<string, unknown>>,
  message: unknown,
  caller: Caller,
): Promise<{ session: Session; sent: SentMessage }> {
  expectScope(caller.scope, OPERATIONS.send_message.scope);
  if (typeof message !== "string" || message === "") {
    const wrong = "initial_message: must not be empty.";
    throw new BelayError(refuse("invalid_input", wrong, { field: "initial_message" }));
  }
  const admit = await expectAgent(parts, fields, caller);
  const titled = { title: titleOf(message) || undefined, ...fields };
  const session = await parts.service.call("create", titled, caller);
  admit?.(session.entity_id);
  const sent = await sendFirst(parts, session, message, fields.idempotency_key, caller);
  const { queue_position = null } = sent;
  return { session: { ...session, queue_position }, sent };
}

/** No session is created for an agent that cannot be run here. */
async function expectAgent(
  parts: Beginning,
  { agent_name, project }: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<((id: string) => void) | undefined> {
  const cwd = isRecord(project) ? project.cwd : caller.project?.cwd;
  // An invalid name is refused together with the other problems of a new session.
  if (typeof agent_name !== "string") return undefined;
  const folder = typeof cwd === "string" ? cwd : process.cwd();
  return parts.expectAgent(caller.owner, agent_name, folder);
}

/** Uses a key of its own, because the caller may have used theirs for a message already. */
async function sendFirst(
  { service }: Beginning,
  { session_id }: Session,
  message: string,
  key: unknown,
  caller: Caller,
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
