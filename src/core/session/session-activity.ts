import type { OpenApproval, SessionHead } from "../../contract/head.ts";
import type { Activity } from "../../contract/vocabulary.ts";
import { isStale } from "../recovery/stale.ts";
import { isUnfinished } from "./status-rules.ts";

/** The store's current knowledge of a session's driver. */
export interface DriverEvidence {
  readonly live: boolean;
  readonly epoch: number;
}

/** The activity of a session, in one word, for every list and badge. */
export function sessionActivity(
  head: SessionHead,
  lease: DriverEvidence | null,
  now: number,
): Activity {
  if (head.status === "failed") return "failed";
  if (!isUnfinished(head.status)) return "done";
  if (isCutOff(head, lease, now)) return "interrupted";
  if (head.approvals.some((approval) => isAnswerable(approval, head, lease))) return "needs_you";
  if (head.status === "suspended") return "suspended";
  if (head.turn || head.actions.length > 0) return "working";
  if (head.queue.length > 0 && lease?.live) return "working";
  if (head.last_turn === "failed") return "failed";
  return head.last_turn === "interrupted" ? "interrupted" : "idle";
}

/**
 * A running agent's question can only be answered while its driver holds the lease. All other
 * questions survive any process.
 */
export function isAnswerable(
  { awaited }: Pick<OpenApproval, "awaited">,
  { agent }: Pick<SessionHead, "agent">,
  lease: DriverEvidence | null,
): boolean {
  if (!awaited) return true;
  return lease?.live === true && (agent?.epoch === undefined || agent.epoch === lease.epoch);
}

/** True if work was under way or waiting when its process ended. An idle agent loses nothing. */
function isCutOff(head: SessionHead, lease: DriverEvidence | null, now: number): boolean {
  if (head.turn || head.actions.length > 0) return isStale(head, lease, now);
  return head.status === "active" && head.queue.length > 0 && lease?.live === false;
}
