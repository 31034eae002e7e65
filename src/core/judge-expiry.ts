import type { SessionHead } from "../contract/head.ts";
import type { CleanupVerdict } from "./judge-cleanup.ts";

const DAY = 24 * 3_600_000;

/** Sessions are deleted after this many days without activity; null means never by age. */
export interface ExpirationDays {
  readonly own: number | null;
  readonly everyone: number | null;
}

/**
 * The time at which a session expires: the earlier of its own date and its age limit. Infinity
 * means never.
 */
function expiryOf(head: SessionHead, { own, everyone }: ExpirationDays): number {
  const since = Math.max(head.updated_at, head.undeleted_at ?? 0);
  const days = Math.min(own ?? Infinity, everyone ?? Infinity);
  return Math.min(head.expires_at ?? Infinity, since + days * DAY);
}

/** Decides if an expired session may be deleted. `because` names the reason that protects it. */
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
