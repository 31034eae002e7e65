import { type Refusal, refuse } from "../../contract/errors.ts";
import type { EventMeta, SessionEvent, SystemEvent, TaskEvent } from "../../contract/events.ts";
import type { SessionHead, SystemHead, TaskHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";

/** An event as a store returns it: the hash is checked, the content is not yet. */
export interface RawEvent extends EventMeta {
  readonly type: string;
  readonly data: unknown;
}

const SESSION_TYPES: ReadonlySet<string> = new Set(
  Object.keys({
    "session.created": 1,
    "session.forked": 1,
    "session.merged": 1,
    "session.handed_off": 1,
    "session.updated": 1,
    "session.renamed": 1,
    "session.pinned": 1,
    "session.unpinned": 1,
    "session.shared": 1,
    "session.unshared": 1,
    "session.expiry_set": 1,
    "session.activated": 1,
    "session.suspended": 1,
    "session.resumed": 1,
    "session.continued": 1,
    "session.completed": 1,
    "session.failed": 1,
    "session.cancelled": 1,
    "session.archived": 1,
    "session.deleted": 1,
    "session.undeleted": 1,
    "phase.changed": 1,
    "error.recorded": 1,
    "message.queued": 1,
    "turn.started": 1,
    "turn.part": 1,
    "turn.ended": 1,
    "turn.recorded": 1,
    "interrupt.requested": 1,
    "agent.started": 1,
    "agent.stopped": 1,
    "session.imported": 1,
    "action.started": 1,
    "action.described": 1,
    "action.completed": 1,
    "session.recovered": 1,
    "checkpoint.saved": 1,
    "checkpoint.restored": 1,
    "approval.requested": 1,
    "approval.decided": 1,
    "approval.expired": 1,
    "observation.submitted": 1,
    "outcome.recorded": 1,
    "artifact.recorded": 1,
  } satisfies Record<SessionEvent["type"], 1>),
);

const TASK_TYPES: ReadonlySet<string> = new Set(
  Object.keys({
    "task.created": 1,
    "task.updated": 1,
    "task.followed": 1,
  } satisfies Record<TaskEvent["type"], 1>),
);

const SYSTEM_TYPES: ReadonlySet<string> = new Set(
  Object.keys({
    "session.purged": 1,
    "workspace.initialized": 1,
    "recovery.sync": 1,
    "token.created": 1,
    "token.renewed": 1,
    "token.revoked": 1,
    "person.added": 1,
    "identities.assigned": 1,
    "person.disabled": 1,
    "person.invited": 1,
    "share.received": 1,
    "session.seen": 1,
    "access.refused": 1,
    "link.created": 1,
    "link.revoked": 1,
    "link.opened": 1,
    "webhook.added": 1,
    "webhook.accepted": 1,
    "webhook.removed": 1,
    "webhook.taken": 1,
    "webhook.delivered": 1,
    "webhook.failed": 1,
    "webhook.parked": 1,
    "webhook.resumed": 1,
    "webhook.advanced": 1,
    "server.registered": 1,
    "server.started": 1,
    "server.stopped": 1,
    "anchor.accepted": 1,
    "server.ran": 1,
    "retention.ran": 1,
    "expiration.set": 1,
    "expiration.used": 1,
  } satisfies Record<SystemEvent["type"], 1>),
);

/**
 * Lets stored events into the model. Belay wrote the bodies itself and the hash is checked, so the
 * type decides; a type that this version does not know is never interpreted.
 */
export function isSessionEvent(event: RawEvent | SessionEvent): event is SessionEvent {
  return SESSION_TYPES.has(event.type) && isRecord(event.data);
}
export function isTaskEvent(event: RawEvent | TaskEvent): event is TaskEvent {
  return TASK_TYPES.has(event.type) && isRecord(event.data);
}
export function isSystemEvent(event: RawEvent | SystemEvent): event is SystemEvent {
  return SYSTEM_TYPES.has(event.type) && isRecord(event.data);
}
export function isSystemHead(head: unknown): head is SystemHead {
  return isRecord(head) && head.kind === "system";
}
export function isSessionHead(head: unknown): head is SessionHead {
  return isRecord(head) && head.kind === "session";
}
export function isTaskHead(head: unknown): head is TaskHead {
  return isRecord(head) && head.kind === "task";
}

export function refuseUnknownEvent(event: RawEvent): Refusal {
  return refuse(
    "storage_newer",
    `Event ${event.seq} has a type that this version of Belay does not know (${event.type}). Update Belay.`,
    { seq: event.seq, type: event.type },
  );
}
