import { randomBytes } from "node:crypto";
import { isAbsolute } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { WebhookPreset } from "../../contract/vocabulary.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { iso } from "../../core/view/view-session.ts";
import { feedEnd } from "../../service/follow/follow-feed.ts";
import { acceptedKey, recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller } from "../../service/service-context.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import { checkUrl } from "../webhooks/check-url.ts";
import {
  expectEither,
  expectWebhook,
  findAccepted,
  findWebhooks,
  loadWebhook,
} from "../webhooks/find-webhooks.ts";
import { isOfIssues } from "../webhooks/github-preset.ts";
import { isAcknowledged, postWebhook } from "../webhooks/post-webhook.ts";
import type { ServerContext } from "../webhooks/server-context.ts";
import { webhooksOf } from "../webhooks/server-context.ts";
import { isSecret, newSecret, signWebhook } from "../webhooks/sign-webhook.ts";
import { viewAccepted, viewDelivery, viewWebhook } from "../webhooks/view-webhook.ts";

/** Operations on outgoing and incoming webhooks. */
export const webhookOperations = {
  async add_webhook(
    context: ServerContext,
    input: Parsed<"add_webhook">,
    caller: Caller,
  ): Promise<Output<"add_webhook">> {
    const { secrets, resolve } = webhooksOf(context);
    const { allow_private, redact } = input;
    const secret = chooseSecret(input.secret, "json");
    const url = await checkUrl(input.url, allow_private, resolve);
    await expectRoom(context, caller);
    const webhook_id = context.newId();
    const on = [...new Set(input.on)];
    // The secret is stored first, because a webhook without one could send nothing.
    await secrets.store(webhook_id, secret);
    const cursor = await feedEnd(context.store, caller.owner);
    const data = { webhook_id, url, on, allow_private, cursor, ...(redact && { redact }) };
    await recordSystemFact(context, caller, { type: "webhook.added", data }, webhook_id);
    const { webhook } = await expectWebhook(context.store, caller.owner, webhook_id);
    return { ...viewWebhook(webhook), ...(input.secret === undefined && { secret }) };
  },

  async accept_webhook(
    context: ServerContext,
    input: Parsed<"accept_webhook">,
    caller: Caller,
  ): Promise<Output<"accept_webhook">> {
    const { store } = context;
    const { owner } = caller;
    const { secrets } = webhooksOf(context);
    const { name, preset, agent_name, session_key = null, message = null, events = [] } = input;
    const cwd = input.cwd ?? caller.project?.cwd ?? null;
    if (message === null && (preset === "json" || !events.every(isOfIssues))) {
      const text =
        'message: is required. Write the message for the agent, such as "Deploy {{version}}".';
      throw new BelayError(refuse("invalid_input", text, { field: "message" }));
    }
    if (cwd !== null && !isAbsolute(cwd)) {
      throw new BelayError(
        refuse("invalid_input", "cwd: must be an absolute path.", { field: "cwd" }),
      );
    }
    expectShort("message", message, LIMITS.WEBHOOK_MESSAGE);
    expectShort("agent_name", agent_name, LIMITS.AGENT);
    expectShort("cwd", cwd, LIMITS.PROJECT);
    const secret = chooseSecret(input.secret, preset);
    await expectRoom(context, caller);
    const key = acceptedKey(name);
    const webhook_id =
      (await loadStream(store, { kind: "system", owner, key }))?.id ?? context.newId();
    const taken = refuse(
      "webhook_exists",
      `${name} already exists. Remove it first, or use another name.`,
      { name },
    );
    const fact = {
      type: "webhook.accepted",
      data: { webhook_id, name, preset, agent_name, session_key, message, events, cwd },
    } as const;
    await recordSystemFact(context, caller, fact, context.newId(), (head) =>
      head.entity_id !== webhook_id || head.accepts?.removed_at === null ? taken : null,
    );
    // The secret is stored second, so that the secret of an existing webhook stays. Until it is stored, nothing is
    // accepted.
    await secrets.store(webhook_id, secret);
    const [found] = await findAccepted(store, owner, name);
    if (!found)
      throw new BelayError(
        refuse("webhook_not_found", `Webhook ${name} was removed meanwhile. Add it again.`, {
          name,
        }),
      );
    return { ...viewAccepted(found.accepts), ...(input.secret === undefined && { secret }) };
  },

  async list_webhooks(
    { store }: ServerContext,
    _: Parsed<"list_webhooks">,
    { owner }: Caller,
  ): Promise<Output<"list_webhooks">> {
    const webhooks = await findWebhooks(store, owner);
    const accepted = await findAccepted(store, owner);
    return {
      webhooks: webhooks.map(({ webhook }) => viewWebhook(webhook)),
      accepted: accepted.map(({ accepts }) => viewAccepted(accepts)),
    };
  },

  async remove_webhook(
    context: ServerContext,
    input: Parsed<"remove_webhook">,
    caller: Caller,
  ): Promise<Output<"remove_webhook">> {
    const { id, name } = await expectEither(context.store, caller.owner, input.webhook);
    const data = { webhook_id: id, ...(name !== undefined && { name }) };
    await recordSystemFact(context, caller, { type: "webhook.removed", data }, context.newId());
    await context.webhooks?.secrets.drop(id);
    return { id, removed_at: iso(context.now()) };
  },

  async test_webhook(
    context: ServerContext,
    input: Parsed<"test_webhook">,
    caller: Caller,
  ): Promise<Output<"test_webhook">> {
    const { secrets, resolve } = webhooksOf(context);
    const { id, webhook } = await expectWebhook(context.store, caller.owner, input.webhook);
    const secret = secrets.read(id);
    if (secret === null)
      return { ...NOT_SENT, why: "its secret is missing; add the webhook again" };
    const event_id = `evt_test_${context.newId()}`;
    const now = context.now();
    const body = JSON.stringify({
      id: event_id,
      type: "webhook.test",
      timestamp: iso(now),
      data: {},
    });
    const headers = { ...signWebhook(secret, event_id, now, body) };
    const { url, allow_private } = webhook;
    const sent = { url, allow_private, headers, body };
    const posted = await postWebhook(sent, resolve, new AbortController().signal);
    const acknowledged = isAcknowledged(posted);
    const parked = (await loadWebhook(context.store, id))?.parked;
    const resumed = acknowledged && Boolean(parked);
    if (resumed) {
      const fact = { type: "webhook.resumed", data: { webhook_id: id } } as const;
      await recordSystemFact(context, caller, fact, context.newId());
    }
    return { acknowledged, ...posted, resumed };
  },

  async webhook_deliveries(
    { store }: ServerContext,
    input: Parsed<"webhook_deliveries">,
    { owner }: Caller,
  ): Promise<Output<"webhook_deliveries">> {
    const { id, seq } = await expectWebhook(store, owner, input.webhook);
    const deliveries: Output<"webhook_deliveries">["deliveries"] = [];
    let before = seq + 1;
    while (before > 1 && deliveries.length < input.limit) {
      const events = await readEvents(store, id, { before, limit: input.limit });
      if (events.length === 0) break;
      before = events[0]?.seq ?? 1;
      deliveries.push(...events.toReversed().flatMap(viewDelivery));
    }
    return { id, deliveries: deliveries.slice(0, input.limit) };
  },
};

const NOT_SENT = { acknowledged: false, status: null, duration_ms: 0, resumed: false } as const;

/** GitHub accepts any text as a secret; the standard defines a format. */
function chooseSecret(given: string | undefined, preset: WebhookPreset): string {
  if (preset === "json") {
    if (given === undefined) return newSecret();
    if (isSecret(given)) return given;
    throw wrongSecret(
      "must be whsec_ and the base64 of 24 to 64 random bytes. Leave it out to get a new one.",
    );
  }
  if (given === undefined) return randomBytes(32).toString("base64url");
  if (given.length >= SHORTEST_SECRET) return given;
  throw wrongSecret(
    `must have at least ${SHORTEST_SECRET} characters. Leave it out to get a new one.`,
  );
}

const SHORTEST_SECRET = 16;

function wrongSecret(expected: string): BelayError {
  return new BelayError(refuse("invalid_input", `secret: ${expected}`, { field: "secret" }));
}

function expectShort(field: string, text: string | null, max: number): void {
  if (text === null || jsonBytes(text) <= max) return;
  throw new BelayError(
    refuse("too_large", `${field}: must have at most ${max} bytes.`, { field, max }),
  );
}

async function expectRoom({ store }: ServerContext, { owner }: Caller): Promise<void> {
  const there = [...(await findWebhooks(store, owner)), ...(await findAccepted(store, owner))];
  if (there.length < LIMITS.WEBHOOKS) return;
  const message = `The limit of ${LIMITS.WEBHOOKS} webhooks is reached. Remove one first.`;
  throw new BelayError(refuse("limit_reached", message, { max: LIMITS.WEBHOOKS }));
}
