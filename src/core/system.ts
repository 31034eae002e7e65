import type { SystemEvent } from "../contract/events.ts";
import type { SystemHead, TokenState } from "../contract/head.ts";
import { type Listing, UNLISTED } from "../contract/stream.ts";
import { evolveWebhook } from "./evolve-webhook.ts";
import { evolvePerson } from "./people.ts";
import { evolveLink } from "./public-link.ts";

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
      const { token_id: id, name, scope, digest, idle_ms, expires_at, browser } = event.data;
      const ends = {
        ...(browser && { browser }),
        ...(idle_ms !== undefined && { idle_ms }),
        ...(expires_at !== undefined && { expires_at }),
      };
      const token = { id, name, scope, digest, created_at: event.at, revoked_at: null, ...ends };
      return { ...head, token, updated_at: event.at };
    }
    case "token.renewed": {
      const { token } = head;
      const renewed = token && { token: { ...token, renewed_at: event.at } };
      return { ...head, ...renewed, updated_at: event.at };
    }
    case "token.revoked": {
      const { token } = head;
      const revoked = token && { token: { ...token, revoked_at: token.revoked_at ?? event.at } };
      return { ...head, ...revoked, updated_at: event.at };
    }
    case "person.added":
    case "identities.assigned":
    case "person.disabled":
    case "person.invited":
    case "share.received":
      return { ...head, ...evolvePerson(head, event), updated_at: event.at };
    case "link.created":
    case "link.revoked":
    case "link.opened":
      return { ...head, ...evolveLink(head, event), updated_at: event.at };
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
    case "session.seen":
    case "access.refused":
    case "server.registered":
    case "server.started":
    case "server.stopped":
    case "anchor.accepted":
      return { ...head, updated_at: event.at };
    case "server.ran":
      return { ...head, served: event.data, updated_at: event.at };
    case "expiration.set": {
      const { after_days } = event.data;
      return { ...head, expiration: { ...head.expiration, after_days }, updated_at: event.at };
    }
    case "expiration.used": {
      const { after_days = null } = head.expiration ?? {};
      return { ...head, expiration: { after_days, used: true }, updated_at: event.at };
    }
    case "retention.ran": {
      const { waits, served_ms } = event.data;
      const retention = { at: event.at, waits, ...(served_ms !== undefined && { served_ms }) };
      return { ...head, retention, updated_at: event.at };
    }
  }
}

/** The time at which a token expires unless it is used before; null means never. */
export function expiryOf(token: TokenState): number | null {
  const { idle_ms, renewed_at, created_at, expires_at = Infinity } = token;
  const idle = idle_ms === undefined ? Infinity : (renewed_at ?? created_at) + idle_ms;
  const first = Math.min(idle, expires_at);
  return first === Infinity ? null : first;
}

export function listSystem(head: SystemHead): Listing {
  return { ...UNLISTED, activity: head.updated_at };
}
