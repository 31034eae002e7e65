import type { AcceptedWebhookState, WebhookState } from "../../contract/head.ts";
import type {
  AcceptedWebhook,
  Webhook,
  WebhookDelivery,
} from "../../contract/operations/webhook-operations.ts";
import { isSystemEvent } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import type { StoredEvent } from "../../store/stream-store.ts";

/** A webhook as the interfaces show it. */
export function viewWebhook(webhook: WebhookState): Webhook {
  const { id, url, allow_private, delivered, delivered_at, failing, parked, history_changed } =
    webhook;
  return {
    id,
    url,
    on: [...webhook.on],
    allow_private,
    redact: webhook.redact ?? false,
    created_at: iso(webhook.created_at),
    state: parked ? "parked" : failing ? "failing" : "active",
    delivered,
    delivered_at: delivered_at === null ? null : iso(delivered_at),
    failing: failing && {
      ...failing,
      since: iso(failing.since),
      next_at: iso(failing.next_at),
    },
    parked: parked && { ...parked, at: iso(parked.at) },
    history_changed: history_changed ? { ...history_changed, at: iso(history_changed.at) } : null,
  };
}

export function viewAccepted(accepts: AcceptedWebhookState): AcceptedWebhook {
  const { removed_at: _, created_at, events, ...shown } = accepts;
  return {
    ...shown,
    path: `/webhooks/${accepts.name}`,
    events: [...events],
    created_at: iso(created_at),
  };
}

/** Empty for an event that is not a delivery. */
export function viewDelivery(event: StoredEvent): WebhookDelivery[] {
  if (!isSystemEvent(event)) return [];
  if (event.type !== "webhook.delivered" && event.type !== "webhook.failed") return [];
  const { event_id, type, session_id, attempt, status } = event.data;
  const failed = event.type === "webhook.failed" ? event.data : null;
  return [
    {
      event_id,
      type,
      session_id,
      attempt,
      acknowledged: failed === null,
      status,
      why: failed?.why ?? null,
      at: iso(event.at),
      next_at: failed ? iso(failed.next_at) : null,
    },
  ];
}
