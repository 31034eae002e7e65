import type { OpenApproval, SessionHead } from "../../contract/head.ts";
import type { Activity } from "../../contract/vocabulary.ts";
import { isStale } from "../recovery/stale.ts";
import { isUnfinished } from "./status-rules.ts";

/** What the store knows of a session's driver at the moment of looking. */
export interface DriverEvidence {
  readonly live: boolean;
  readonly epoch: number;
}

/** What a session is doing, in one word, for every list and badge. The caller passes what is known of its driver. */
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
 * A question that a running agent asks can be answered only while that agent's driver holds the lease. All other questions
 * survive any process.
 */
export function isAnswerable(
  { awaited }: Pick<OpenApproval, "awaited">,
  { agent }: Pick<SessionHead, "agent">,
  lease: DriverEvidence | null,
): boolean {
  if (!awaited) return true;
  return lease?.live === true && (agent?.epoch === undefined || agent.epoch === lease.epoch);
}

/** Work was under way or waiting, and the process that did it is gone. An agent that idly waited loses nothing. */
function isCutOff(head: SessionHead, lease: DriverEvidence | null, now: number): boolean {
  if (head.turn || head.actions.length > 0) return isStale(head, lease, now);
  return head.status === "active" && head.queue.length > 0 && lease?.live === false;
}
