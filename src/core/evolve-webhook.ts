import type { SystemEvent } from "../contract/events.ts";
import type { SystemHead, WebhookState } from "../contract/head.ts";

type WebhookChange = Extract<SystemEvent, { readonly type: `webhook.${string}` }>;

/** Folds an event into the head of a webhook. It serves incoming and outgoing webhooks. */
export function evolveWebhook(head: SystemHead, event: WebhookChange): SystemHead {
  const { at } = event;
  switch (event.type) {
    case "webhook.added": {
      const { webhook_id: id, ...given } = event.data;
      return { ...head, webhook: { ...NEW, ...given, id, created_at: at } };
    }
    case "webhook.accepted": {
      const { webhook_id: id, ...given } = event.data;
      return { ...head, accepts: { ...given, id, created_at: at, removed_at: null } };
    }
    case "webhook.removed": {
      const { webhook, accepts } = head;
      return {
        ...head,
        ...(webhook && { webhook: { ...webhook, removed_at: webhook.removed_at ?? at } }),
        ...(accepts && { accepts: { ...accepts, removed_at: accepts.removed_at ?? at } }),
      };
    }
    case "webhook.taken":
      return head;
    default:
      return head.webhook ? { ...head, webhook: evolveDelivery(head.webhook, event) } : head;
  }
}

const NEW = { delivered: 0, delivered_at: null, failing: null, parked: null, removed_at: null };

type DeliveryChange = Exclude<
  WebhookChange,
  { readonly type: "webhook.added" | "webhook.accepted" | "webhook.removed" | "webhook.taken" }
>;

function evolveDelivery(webhook: WebhookState, event: DeliveryChange): WebhookState {
  const { at } = event;
  switch (event.type) {
    case "webhook.delivered": {
      const { cursor } = event.data;
      return {
        ...webhook,
        cursor,
        delivered: webhook.delivered + 1,
        delivered_at: at,
        failing: null,
      };
    }
    case "webhook.failed": {
      const { event_id, type, session_id, attempt: attempts, why, next_at } = event.data;
      const same = webhook.failing?.event_id === event_id;
      const since = same ? (webhook.failing?.since ?? at) : at;
      const failing = { event_id, type, session_id, attempts, why, since, next_at };
      return { ...webhook, failing };
    }
    case "webhook.parked":
      return { ...webhook, parked: { at, why: event.data.why } };
    case "webhook.resumed":
      // Clearing `failing` gives the webhook another full day before it is parked again.
      return { ...webhook, parked: null, failing: null };
    case "webhook.advanced": {
      const { cursor, continued } = event.data;
      if (continued === undefined) return { ...webhook, cursor };
      // The event that failed may be gone too.
      return { ...webhook, cursor, failing: null, history_changed: { at, continued } };
    }
  }
}
