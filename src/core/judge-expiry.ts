import type { SessionHead } from "../contract/head.ts";
import type { CleanupVerdict } from "./judge-cleanup.ts";

const DAY = 24 * 3_600_000;

/** After how many days without activity sessions are deleted; null: not by their age. */
export interface ExpirationDays {
  readonly own: number | null;
  readonly everyone: number | null;
}

/** When a session expires: by its own date, or by its age, whichever is sooner. Infinity: never. */
function expiryOf(head: SessionHead, { own, everyone }: ExpirationDays): number {
  const since = Math.max(head.updated_at, head.undeleted_at ?? 0);
  const days = Math.min(own ?? Infinity, everyone ?? Infinity);
  return Math.min(head.expires_at ?? Infinity, since + days * DAY);
}

/** May a session be deleted because it has expired? `because` names what protects one that has. */
export function judgeExpiry(
  head: SessionHead,
  days: ExpirationDays,
  now: number,
  driven: boolean,
): CleanupVerdict {
  if (head.deleted || expiryOf(head, days) > now) return { remove: false, because: null };
  if (head.pinned) return { remove: false, because: "pinned" };
  if (driven) return { remove: false, because: "driven" };
  if (head.approvals.length > 0) return { remove: false, because: "waits for an approval" };
  if (head.status === "active") return { remove: false, because: "active" };
  return { remove: true, reason: "expired" };
}
