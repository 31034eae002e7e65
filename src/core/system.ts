import type { SystemEvent } from "../contract/events.ts";
import type { SystemHead } from "../contract/head.ts";
import { type Listing, UNLISTED } from "../contract/stream.ts";
import { evolveWebhook } from "./webhook.ts";

export function newSystemHead(entity_id: string, owner: string): SystemHead {
  return {
    kind: "system",
    entity_id,
    owner,
    purged: 0,
    mirrors: [],
    backlog: null,
    updated_at: 0,
  };
}

export function evolveSystem(head: SystemHead, event: SystemEvent): SystemHead {
  switch (event.type) {
    case "session.purged":
      return { ...head, purged: head.purged + 1, updated_at: event.at };
    case "workspace.initialized":
      return { ...head, mirrors: event.data.mirrors, updated_at: event.at };
    case "recovery.sync": {
      const { source, offset } = event.data;
      const backlog = offset === null ? head.backlog : { source, offset };
      return { ...head, backlog, updated_at: event.at };
    }
    case "token.created": {
      const { token_id: id, name, scope, digest } = event.data;
      const token = { id, name, scope, digest, created_at: event.at, revoked_at: null };
      return { ...head, token, updated_at: event.at };
    }
    case "token.revoked": {
      const { token } = head;
      const revoked = token && { token: { ...token, revoked_at: token.revoked_at ?? event.at } };
      return { ...head, ...revoked, updated_at: event.at };
    }
    case "webhook.added":
    case "webhook.accepted":
    case "webhook.removed":
    case "webhook.taken":
    case "webhook.delivered":
    case "webhook.failed":
    case "webhook.parked":
    case "webhook.resumed":
    case "webhook.advanced":
      return { ...evolveWebhook(head, event), updated_at: event.at };
    case "server.registered":
    case "server.started":
    case "server.stopped":
      return { ...head, updated_at: event.at };
    case "retention.ran":
      return {
        ...head,
        retention: { at: event.at, waits: event.data.waits },
        updated_at: event.at,
      };
  }
}

export function listSystem(head: SystemHead): Listing {
  return { ...UNLISTED, activity: head.updated_at };
}
