import type { SessionHead } from "../../contract/head.ts";
import { isUnfinished } from "../session/status-rules.ts";

/** Milliseconds without activity after which something under way counts as abandoned, where nobody can be looked at. */
const STALE_AFTER = { interactive: 5 * 60_000, batch: 30 * 60_000 } as const;

/** A session in which something was in progress when the process that did it ended. One that idly waits is never stale. */
export function isStale(
  head: SessionHead,
  lease: { readonly live: boolean } | null,
  now: number,
): boolean {
  if (lease?.live || head.deleted || !isUnfinished(head.status)) return false;
  if (head.turn === null && head.actions.length === 0) return false;
  if (lease) return true;
  // An agent that asks lives no longer than its driver's lease.
  if (head.approvals.some(({ awaited }) => awaited)) return true;
  // A question that waits for a person stops the clock, and so does a pause.
  if (head.approvals.length > 0 || head.status === "suspended") return false;
  const batch = head.metadata.batch;
  const patience =
    batch && "value" in batch && batch.value === true ? STALE_AFTER.batch : STALE_AFTER.interactive;
  return now - head.updated_at >= patience;
}

/** Nothing was under way, but a driver that died may have left its agent running. */
export function hasLeftAgent(
  { agent, deleted, status }: SessionHead,
  lease: { readonly live: boolean } | null,
): boolean {
  if (!lease || lease.live || deleted || !isUnfinished(status)) return false;
  return (agent?.running ?? null) !== null;
}
