import type { SessionHead, TaskHead } from "../../contract/head.ts";
import type { Session } from "../../contract/session.ts";
import type { Listing } from "../../contract/stream.ts";
import { isUnfinished } from "./status-rules.ts";

const MINUTE = 60_000;

/**
 * A list with activity after this time misses nothing since `time`, but may include up to a minute
 * more.
 */
export function listedSince(time: number): number {
  return time - (time % MINUTE) - 1;
}

/**
 * The order of a session list: by band, and within a band by last activity. Pinned sessions come
 * first, then those with open questions.
 */
export const LIST_BANDS = [
  { pinned: true },
  { pinned: false, waiting: true },
  { pinned: false, waiting: false },
] as const;

/** The band of a session, the same in every interface. */
export function listBand(session: Pick<Session, "pinned" | "pending_approvals">): number {
  if (session.pinned) return 0;
  return session.pending_approvals > 0 ? 1 : 2;
}

/**
 * The values that lists filter sessions by. A deleted session has a status of its own, so that
 * lists only show it on request.
 */
export function listSession(head: SessionHead): Listing {
  return {
    status: head.deleted ? "deleted" : head.status,
    phase: head.phase,
    agent: head.agent_name,
    interface: head.interface,
    project: head.project?.cwd ?? "",
    task: head.task_id,
    waiting: head.approvals.length,
    unsettled: isUnsettled(head) ? 1 : 0,
    pinned: head.pinned ? 1 : 0,
    created: head.created_at,
    // Rounded to the minute, so that an append does not move the session in every index.
    activity: head.updated_at - (head.updated_at % MINUTE),
  };
}

/** True if something is under way or due, so that chores must examine the session when its process has died. */
function isUnsettled(head: SessionHead): boolean {
  if (head.deleted || !isUnfinished(head.status)) return false;
  const isUnderWay = head.turn !== null || head.actions.length > 0;
  const isRunning = (head.agent?.running ?? null) !== null;
  const isLeft = head.status === "active" && head.queue.length > 0;
  return isUnderWay || isRunning || isLeft || head.suspended_until !== null;
}

export function listTask(head: TaskHead): Listing {
  return {
    status: head.status,
    phase: "",
    agent: "",
    interface: head.source,
    project: "",
    task: head.task_id,
    waiting: 0,
    unsettled: 0,
    pinned: 0,
    created: head.created_at,
    activity: head.updated_at - (head.updated_at % MINUTE),
  };
}
