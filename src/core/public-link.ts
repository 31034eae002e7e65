import type { SystemEvent } from "../contract/events.ts";
import type { LinkState, SystemHead } from "../contract/head.ts";
import { isRecord } from "../contract/is-record.ts";
import type { LogEvent } from "../contract/session.ts";

type LinkEvent = Extract<SystemEvent, { readonly data: { readonly link_id: string } }>;

export function evolveLink({ link }: SystemHead, event: LinkEvent): { readonly link?: LinkState } {
  switch (event.type) {
    case "link.created": {
      const { link_id: id, hides: _, ...created } = event.data;
      const unused = { created_at: event.at, revoked_at: null, opened: 0, opened_at: null };
      return { link: { id, ...created, ...unused } };
    }
    case "link.revoked":
      return link ? { link: { ...link, revoked_at: link.revoked_at ?? event.at } } : {};
    case "link.opened": {
      if (!link) return {};
      return { link: { ...link, opened: link.opened + event.data.times, opened_at: event.at } };
    }
  }
}

export function worksNow({ until, revoked_at }: LinkState, now: number): boolean {
  return revoked_at === null && now < until;
}

/**
 * The fields of each event type that a public link shows: the conversation, its tool calls and its questions. Other types and
 * fields are not shown, so processes, folders, tokens, shares and checkpoints stay private.
 */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  "message.queued": ["turn_id", "content"],
  "turn.started": ["turn_id", "content"],
  "turn.part": ["turn_id", "item", "kind", "offset", "text"],
  "turn.ended": ["turn_id", "outcome", "error"],
  "turn.recorded": ["turn_id", "input", "output"],
  "action.started": ["action_id", "turn_id", "type", "effects", "details"],
  "action.described": ["action_id", "details", "type", "effects"],
  "action.completed": ["action_id", "status", "result", "details"],
  "approval.requested": ["approval_id", "kind", "title", "body", "action_id", "options"],
  "approval.decided": ["approval_id", "decision"],
  "approval.expired": ["approval_id", "reason"],
  "session.completed": ["summary"],
  "session.failed": ["summary", "error"],
  "session.cancelled": ["summary"],
};

/** Fields that readers of these events expect, without their values. */
const EMPTIED: Readonly<Record<string, Readonly<Record<string, null>>>> = {
  "approval.requested": { expires_at: null },
  "approval.decided": { note: null },
};

/** The details of a tool call that are shown. The process that runs it is not among them. */
const SHOWN_DETAILS: readonly string[] = ["title", "input", "output", "means", "diffs"];

/** An event as a public link shows it, or null if it is not shown. Secrets are not redacted here. */
export function presentPublicly(event: LogEvent): LogEvent | null {
  const fields = SHOWN[event.type];
  if (!fields) return null;
  const data = Object.entries(pick(event.data, fields)).map(([name, value]) => [
    name,
    name === "details" && isRecord(value) ? pick(value, SHOWN_DETAILS) : value,
  ]);
  const isAgents = event.actor.startsWith("agent:");
  const actor = isAgents ? event.actor : "person:User";
  return {
    ...event,
    actor,
    interface: "web",
    trace_id: null,
    hash: "",
    data: { ...EMPTIED[event.type], ...Object.fromEntries(data) },
  };
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));
}
