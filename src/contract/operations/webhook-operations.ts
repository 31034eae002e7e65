import { z } from "zod";
import { Name } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { WEBHOOK_EVENTS, WEBHOOK_PRESETS, WEBHOOK_RESTARTS } from "../vocabulary.ts";
import type { Operations } from "./operation.ts";

/** A webhook without its secret, which is only shown in the answer that created it. */
export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  on: z.array(z.enum(WEBHOOK_EVENTS)),
  allow_private: z.boolean(),
  redact: z.boolean().describe("text that looks like a secret is replaced before it is sent"),
  created_at: z.string(),
  state: z.enum(["active", "failing", "parked"]),
  delivered: z.number().int().describe("how many events were acknowledged"),
  delivered_at: z.string().nullable(),
  failing: z
    .object({
      event_id: z.string(),
      type: z.string(),
      session_id: z.string(),
      attempts: z.number().int(),
      why: z.string(),
      since: z.string(),
      next_at: z.string(),
    })
    .nullable()
    .describe("the event that is retried; later events wait for it"),
  parked: z.object({ at: z.string(), why: z.string() }).nullable(),
  history_changed: z
    .object({
      at: z.string(),
      continued: z
        .enum(WEBHOOK_RESTARTS)
        .describe(
          "after its newest delivery that still exists; or, without any delivery, after it was added; or with new events only",
        ),
    })
    .nullable()
    .describe("set if an older copy of the data was restored, or the history changed otherwise"),
});
export type Webhook = z.infer<typeof Webhook>;

export const AcceptedWebhook = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().describe("the path on the server that receives it"),
  preset: z.enum(WEBHOOK_PRESETS),
  agent_name: z.string(),
  session_key: z.string().nullable(),
  message: z.string().nullable(),
  events: z.array(z.string()),
  cwd: z.string().nullable(),
  created_at: z.string(),
});
export type AcceptedWebhook = z.infer<typeof AcceptedWebhook>;

/** An attempt to deliver an event; `next_at` is set if it will be retried. */
export const WebhookDelivery = z.object({
  event_id: z.string(),
  type: z.string(),
  session_id: z.string(),
  attempt: z.number().int(),
  acknowledged: z.boolean(),
  status: z.number().int().nullable(),
  why: z.string().nullable(),
  at: z.string(),
  next_at: z.string().nullable(),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;
const Secret = z.string().min(1).max(200).optional();
const Path = z.string().min(1).max(LIMITS.WEBHOOK_PATH);
const Made = z.string().optional().describe("only if Belay created it; shown only once");

export const webhookOperations = {
  add_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Send events of your sessions to an address, signed according to Standard Webhooks",
    input: z.strictObject({
      url: z.string().min(1),
      on: z.array(z.enum(WEBHOOK_EVENTS)).min(1).describe("the events to send"),
      secret: Secret.describe("whsec_ and base64; default: a new secret, shown only once"),
      allow_private: z
        .boolean()
        .default(false)
        .describe("also allow http:// and addresses of this machine and its networks"),
      redact: z
        .boolean()
        .default(false)
        .describe("replace text that looks like a secret with [redacted:KIND] before it is sent"),
    }),
    output: Webhook.extend({ secret: Made }),
    errors: ["limit_reached", "too_large", "storage_unsupported", "store_busy"],
  },
  accept_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Let another service send messages to an agent through signed requests to /webhooks/NAME",
    input: z.strictObject({
      name: z.string().regex(NAME, "must have at most 40 characters of a-z, 0-9, _ and -"),
      preset: z
        .enum(WEBHOOK_PRESETS)
        .describe(
          "how requests are signed: as GitHub does (github), or by Standard Webhooks (json)",
        ),
      agent_name: Name.describe("the agent that receives the messages"),
      secret: Secret.describe(
        "the secret for the signatures; default: a new secret, shown only once",
      ),
      session_key: Path.optional().describe(
        "a path in the payload, such as issue.number; requests with the same value there go to one session",
      ),
      message: z
        .string()
        .min(1)
        .optional()
        .describe("the message for the agent; {{issue.title}} inserts that value from the payload"),
      events: z
        .array(z.string().regex(/^[\w.-]{1,64}$/, "must be a name such as issues or issues.opened"))
        .max(LIMITS.WEBHOOK_EVENTS)
        .optional()
        .describe(
          "accept only these events, such as issues or issues.opened; default: all events for which there is a message",
        ),
      cwd: z
        .string()
        .min(1)
        .optional()
        .describe("the agent's working directory; default: the current folder"),
    }),
    output: AcceptedWebhook.extend({ secret: Made }),
    errors: ["limit_reached", "too_large", "webhook_exists", "storage_unsupported", "store_busy"],
  },
  list_webhooks: {
    kind: "query",
    scope: "admin",
    doc: "List webhooks: addresses that events are sent to, their state, and accepted names",
    input: z.strictObject({}),
    output: z.object({ webhooks: z.array(Webhook), accepted: z.array(AcceptedWebhook) }),
    errors: [],
  },
  remove_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Remove a webhook",
    input: z.strictObject({
      webhook: Name.describe("the webhook's id, or the name of an accepted webhook"),
    }),
    output: z.object({ id: z.string(), removed_at: z.string() }),
    errors: ["webhook_not_found", "store_busy"],
  },
  test_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Send a test event now and show the answer; if it succeeds, a webhook that Belay stopped (parked) continues",
    input: z.strictObject({ webhook: Name }),
    output: z.object({
      acknowledged: z.boolean(),
      status: z.number().int().nullable(),
      why: z.string().nullable(),
      duration_ms: z.number(),
      resumed: z.boolean().describe("it was parked and is active again"),
    }),
    errors: ["webhook_not_found", "storage_unsupported"],
  },
  webhook_deliveries: {
    kind: "query",
    scope: "admin",
    doc: "List deliveries of a webhook, newest first",
    input: z.strictObject({
      webhook: Name,
      limit: z
        .number()
        .int()
        .min(1)
        .max(LIMITS.PAGE.max)
        .default(20)
        .describe("number of deliveries"),
    }),
    output: z.object({ id: z.string(), deliveries: z.array(WebhookDelivery) }),
    errors: ["webhook_not_found"],
  },
} as const satisfies Operations;
