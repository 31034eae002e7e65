import type { SessionHead } from "../../contract/head.ts";
import { isUnfinished } from "../session/status-rules.ts";

/**
 * Work counts as abandoned after this many milliseconds without activity, if no process can be
 * checked.
 */
const STALE_AFTER = { interactive: 5 * 60_000, batch: 30 * 60_000 } as const;

/**
 * True if something was in progress when its process ended. A session that only waits is never
 * stale.
 */
export function isStale(
  head: SessionHead,
  lease: { readonly live: boolean } | null,
  now: number,
): boolean {
  if (lease?.live || head.deleted || !isUnfinished(head.status)) return false;
  if (head.turn === null && head.actions.length === 0) return false;
  if (lease) return true;
  // An agent that waits for an answer cannot outlive its driver's lease.
  if (head.approvals.some(({ awaited }) => awaited)) return true;
  // A question to a person stops the clock, and so does a suspension.
  if (head.approvals.length > 0 || head.status === "suspended") return false;
  const batch = head.metadata.batch;
  const patience =
    batch && "value" in batch && batch.value === true ? STALE_AFTER.batch : STALE_AFTER.interactive;
  return now - head.updated_at >= patience;
}

/** True if nothing was under way, but a dead driver may have left its agent running. */
export function hasLeftAgent(
  { agent, deleted, status }: SessionHead,
  lease: { readonly live: boolean } | null,
): boolean {
  if (!lease || lease.live || deleted || !isUnfinished(status)) return false;
  return (agent?.running ?? null) !== null;
}
