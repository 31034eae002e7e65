import { z } from "zod";
import { Name } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { WEBHOOK_EVENTS, WEBHOOK_PRESETS } from "../vocabulary.ts";
import type { Operations } from "./operation.ts";

/** A webhook without its secret, which is only shown in the answer that created it. */
export const Webhook = z.object({
  id: z.string(),
  url: z.string(),
  on: z.array(z.enum(WEBHOOK_EVENTS)),
  allow_private: z.boolean(),
  redact: z.boolean().describe("what looks like a secret is replaced before it is sent"),
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
    .describe("the event that is tried again; later ones wait behind it"),
  parked: z.object({ at: z.string(), why: z.string() }).nullable(),
});
export type Webhook = z.infer<typeof Webhook>;

export const AcceptedWebhook = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().describe("where the server takes it"),
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
const Made = z.string().optional().describe("only where it was made for you, and this once");

export const webhookOperations = {
  add_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Tell an address of what happens in your sessions, signed as Standard Webhooks describes",
    input: z.strictObject({
      url: z.string().min(1),
      on: z.array(z.enum(WEBHOOK_EVENTS)).min(1).describe("what to tell"),
      secret: Secret.describe("whsec_ and base64; default: a new one, shown this once"),
      allow_private: z
        .boolean()
        .default(false)
        .describe("also http:// and addresses of this machine and its networks"),
      redact: z
        .boolean()
        .default(false)
        .describe("replace what looks like a secret by [redacted:KIND] before it is sent"),
    }),
    output: Webhook.extend({ secret: Made }),
    errors: ["limit_reached", "too_large", "storage_unsupported", "store_busy"],
  },
  accept_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Let another service send messages to an agent, by signed requests to /webhooks/NAME",
    input: z.strictObject({
      name: z.string().regex(NAME, "a name has up to 40 of a-z, 0-9, _ and -"),
      preset: z.enum(WEBHOOK_PRESETS).describe("who signs: GitHub, or anyone by Standard Webhooks"),
      agent_name: Name,
      secret: Secret.describe("what it signs with; default: a new one, shown this once"),
      session_key: Path.optional().describe(
        "a path in the payload, as issue.number: what has the same there goes to one session",
      ),
      message: z
        .string()
        .min(1)
        .optional()
        .describe("what the agent is told; {{issue.title}} inserts what stands there"),
      events: z
        .array(z.string().regex(/^[\w.-]{1,64}$/, "as issues or issues.opened"))
        .max(LIMITS.WEBHOOK_EVENTS)
        .optional()
        .describe("only these, as issues or issues.opened; default: all that the message fits"),
      cwd: z.string().min(1).optional().describe("where the agent works; default: where you are"),
    }),
    output: AcceptedWebhook.extend({ secret: Made }),
    errors: ["limit_reached", "too_large", "webhook_exists", "storage_unsupported", "store_busy"],
  },
  list_webhooks: {
    kind: "query",
    scope: "admin",
    doc: "List the addresses that are told, how that goes, and the names under which others send",
    input: z.strictObject({}),
    output: z.object({ webhooks: z.array(Webhook), accepted: z.array(AcceptedWebhook) }),
    errors: [],
  },
  remove_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Tell an address no more, or take no more messages under a name",
    input: z.strictObject({ webhook: Name.describe("its id, or the name of an accepted one") }),
    output: z.object({ id: z.string(), removed_at: z.string() }),
    errors: ["webhook_not_found", "store_busy"],
  },
  test_webhook: {
    kind: "command",
    scope: "admin",
    doc: "Send a test event now and see what comes back; a parked webhook goes on if it is acknowledged",
    input: z.strictObject({ webhook: Name }),
    output: z.object({
      acknowledged: z.boolean(),
      status: z.number().int().nullable(),
      why: z.string().nullable(),
      duration_ms: z.number(),
      resumed: z.boolean().describe("it was parked and goes on now"),
    }),
    errors: ["webhook_not_found", "storage_unsupported"],
  },
  webhook_deliveries: {
    kind: "query",
    scope: "admin",
    doc: "Show what was sent to an address, the newest first",
    input: z.strictObject({
      webhook: Name,
      limit: z.number().int().min(1).max(LIMITS.PAGE.max).default(20),
    }),
    output: z.object({ id: z.string(), deliveries: z.array(WebhookDelivery) }),
    errors: ["webhook_not_found"],
  },
} as const satisfies Operations;
