import { createHash } from "node:crypto";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { AcceptedWebhookState } from "../../contract/head.ts";
import { WEBHOOK_SESSIONS } from "../../contract/id-pattern.ts";
import { isRecord } from "../../contract/is-record.ts";
import { titleOf } from "../../core/session/title-of.ts";
import type { BelayService } from "../../service/belay-service.ts";
import { findProject } from "../../service/find-project.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { AdmittedDelivery } from "./admit-delivery.ts";
import { findAnswer, recordAnswer } from "./answered-deliveries.ts";
import { GITHUB_EVENTS, GITHUB_SESSION_KEY, githubMessage } from "./github-preset.ts";
import { renderMessage, textAt } from "./render-message.ts";

interface DeliveryDeps {
  readonly service: BelayService;
  readonly context: ServiceContext;
  /** Throws if the agent cannot be run for this owner in this folder. */
  expectAgent(owner: string, name: string, cwd: string): Promise<(id: string) => void>;
}

export type DeliveryAnswer =
  | { readonly session_id: string; readonly turn_id: string }
  /** The webhook does not want this event. */
  | { readonly ignored: string };

/**
 * Turns a delivery into a message and sends it to its session, which is created if needed. It does not wait for the
 * agent. A repeated delivery always gets the same answer and sends nothing.
 */
export async function processDelivery(
  parts: DeliveryDeps,
  { owner, accepts, key, event }: AdmittedDelivery,
  payload: unknown,
  trace_id: string | null,
): Promise<DeliveryAnswer> {
  const name = nameOf(accepts, event, payload);
  if (!isWanted(accepts, name)) return { ignored: name };
  const template = accepts.message ?? githubMessage(name);
  const message = renderMessage(template, payload);
  if (message === "") {
    throw new BelayError(
      refuse(
        "invalid_input",
        "The message of this webhook is empty for this request. Check the message template of the webhook.",
      ),
    );
  }
  const path = accepts.session_key ?? (accepts.preset === "github" ? GITHUB_SESSION_KEY : null);
  const base = sessionIdOf(accepts.name, (path && textAt(payload, path)) || key);
  const caller: Caller = {
    owner,
    actor: `webhook:${accepts.name}`,
    interface: "webhook",
    trace_id,
    project: null,
  };
  const delivery = { accepts, key, message };
  const taken = await findAnswer(parts.context, caller, delivery);
  if (taken) return taken;
  for (let nth = 1; nth <= MOST_SESSIONS; nth += 1) {
    const session_id = nth === 1 ? base : `${base}:${nth}`;
    // Each session has its own key, because the next session does not know what the previous one refused.
    const sending = { accepts, session_id, key: `${key}:${nth}`, message };
    const sent = await sendTo(parts, caller, sending);
    if (!sent) continue;
    const { session_id: id, turn_id } = sent;
    await recordAnswer(parts.context, caller, delivery, { session_id: id, turn_id });
    return { session_id: id, turn_id };
  }
  const text = `All ${MOST_SESSIONS} sessions of this session key have ended. Send another value for the session key.`;
  throw new BelayError(refuse("limit_reached", text, { session_id: base }));
}

/** The most sessions of one key, if each has failed or was cancelled, archived or deleted before the next. */
const MOST_SESSIONS = 20;

interface Sending {
  readonly accepts: AcceptedWebhookState;
  readonly session_id: string;
  readonly key: string;
  readonly message: string;
}

/** Null for a session that has ended permanently. */
async function sendTo(
  { service, context: { store }, expectAgent }: DeliveryDeps,
  caller: Caller,
  { accepts, session_id, key, message }: Sending,
) {
  const { owner } = caller;
  if (!(await loadStream(store, { kind: "session", owner, key: session_id }))) {
    const { agent_name, name, cwd } = accepts;
    const project = findProject(cwd ?? process.cwd());
    // No session is created for an agent that cannot be run here.
    const admit = await expectAgent(owner, agent_name, cwd ?? process.cwd());
    const wanted = { agent_name, session_id, title: titleOf(message), project };
    const metadata = { webhook: name };
    await service
      .call("create", { ...wanted, metadata, idempotency_key: key }, caller)
      .then(({ entity_id }) => admit(entity_id))
      // Another delivery created the same session first.
      .catch(unless("session_exists"));
  }
  const send = { id: session_id, message, idempotency_key: key };
  try {
    return await service.call("send_message", send, caller);
  } catch (error) {
    if (isOneOf(error, ENDED)) return null;
    if (!isOneOf(error, ["session_suspended"])) throw error;
  }
  // Resumed only now, so that a repeated message wakes nobody.
  await service.call("resume", { id: session_id }, caller).catch(unless("session_not_suspended"));
  return service.call("send_message", send, caller);
}

const ENDED = ["session_failed", "session_cancelled", "session_archived", "session_deleted"];

function nameOf({ preset }: AcceptedWebhookState, event: string | null, payload: unknown): string {
  const { action, type } = isRecord(payload) ? payload : {};
  const given = preset === "json" ? type : event;
  const named = typeof given === "string" ? given : "";
  const whole = preset === "github" && typeof action === "string" ? `${named}.${action}` : named;
  return whole.replaceAll(/[^\w.-]/g, "").slice(0, 128);
}

/** `issues` stands for all events of issues. */
function isWanted({ preset, events }: AcceptedWebhookState, name: string): boolean {
  if (preset === "github" && name.split(".", 1)[0] === "ping") return false;
  const wanted: readonly string[] =
    events.length > 0 ? events : preset === "github" ? GITHUB_EVENTS : [];
  if (wanted.length === 0) return true;
  return wanted.some((each) => name === each || name.startsWith(`${each}.`));
}

/** A readable id that is unique for the key. */
function sessionIdOf(name: string, key: string): string {
  const plain = key.replaceAll(/[^A-Za-z0-9._-]+/g, "-");
  const id = `${WEBHOOK_SESSIONS}${name}:`;
  if (plain === key && key.length <= MOST_KEY) return id + key;
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 12);
  return `${id}${plain.slice(0, MOST_KEY - 13)}-${digest}`;
}

const MOST_KEY = 64;

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (!isOneOf(error, [code])) throw error;
  };
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof BelayError && codes.includes(error.code);
}
