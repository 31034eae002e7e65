import type { SessionHead, TaskHead } from "../../contract/head.ts";
import type { Session } from "../../contract/session.ts";
import type { Listing } from "../../contract/stream.ts";
import { isUnfinished } from "./status-rules.ts";

const MINUTE = 60_000;

/** A list that asks for activity after this misses nothing since `time`, and may bring up to a minute more. */
export function listedSince(time: number): number {
  return time - (time % MINUTE) - 1;
}

/**
 * The order of a list of sessions: all of one band by last activity, then the next band. Pinned ones come first, then those
 * with open questions.
 */
export const LIST_BANDS = [
  { pinned: true },
  { pinned: false, waiting: true },
  { pinned: false, waiting: false },
] as const;

/** The band of a session, as every door shows it. */
export function listBand(session: Pick<Session, "pinned" | "pending_approvals">): number {
  if (session.pinned) return 0;
  return session.pending_approvals > 0 ? 1 : 2;
}

/** The words under which a list finds a session. A removed one has a status of its own, so that no list shows it unasked. */
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
    // To the minute, so that appending does not move the session in every index each time.
    activity: head.updated_at - (head.updated_at % MINUTE),
  };
}

/** Something is under way or waits that its process may leave behind, or a time will come that nobody else waits for. */
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
