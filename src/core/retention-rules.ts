import type { ServedTime, SessionHead, SystemHead } from "../contract/head.ts";
import { TRASH_MS } from "../contract/limits.ts";
import type { Status } from "../contract/vocabulary.ts";
import type { CleanupVerdict } from "./judge-cleanup.ts";
import { judgeCleanup } from "./judge-cleanup.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How long a session without activity is kept; null means forever. */
interface Keeping {
  readonly plain: number | null;
  /** The limit if the agent can reopen its own session. */
  readonly resumable: number | null;
}

const FOR_EVER = { plain: null, resumable: null } as const satisfies Keeping;

export const KEPT_FOR = {
  created: FOR_EVER,
  active: FOR_EVER,
  suspended: { plain: 7 * DAY, resumable: 30 * DAY },
  completed: FOR_EVER,
  failed: { plain: DAY, resumable: DAY },
  cancelled: FOR_EVER,
  archived: FOR_EVER,
} as const satisfies Record<Status, Keeping>;

/**
 * Automatic removal follows only these rules. A session that is scheduled to resume later is
 * counted from that time.
 */
export function judgeRetention(head: SessionHead, now: number, live: boolean): CleanupVerdict {
  const kept = KEPT_FOR[head.status][head.supports_resume ? "resumable" : "plain"];
  if (kept === null) return { remove: false, because: null };
  const before = now - kept;
  if ((head.suspended_until ?? 0) >= before) return { remove: false, because: null };
  return judgeCleanup(head, before, live);
}

type LastRun = NonNullable<SystemHead["retention"]>;

/** A monotonic clock that starts with the machine. */
export interface Uptime {
  readonly boot_id: string | null;
  readonly uptime_ms: number;
}

/**
 * The total time that servers have run. Each check adds the uptime since the last one, at most a
 * day, so that neither a changed clock nor time without a server adds anything.
 */
export function countServed(last: ServedTime | null, now: Uptime): number {
  if (!last) return 0;
  const isSameBoot = last.boot_id === now.boot_id && last.uptime_ms <= now.uptime_ms;
  const passed = isSameBoot ? now.uptime_ms - last.uptime_ms : now.uptime_ms;
  return last.total_ms + Math.min(passed, DAY);
}

/** True if enough time has passed to store it. Unstored time is lost when the machine restarts. */
export function isServedDue(last: ServedTime | null, total: number): boolean {
  return last === null || total - last.total_ms >= HOUR;
}

/**
 * Retention runs once per day of server time. A session is only removed if it was due in the
 * previous run too: a wrong clock makes sessions look old, and this leaves a day to correct it.
 * Returns the time for which sessions are judged, or null in the first run, which removes nothing.
 */
export function judgeRetentionRun(
  last: LastRun | null,
  served: number,
  now: number,
): "not due" | { readonly as_of: number | null } {
  if (!last) return { as_of: null };
  if (served - (last.served_ms ?? 0) < DAY) return "not due";
  return { as_of: Math.min(last.at, now) };
}

/**
 * A session stays in the trash for its time by the clock, and until servers have run for that long.
 */
export function isPurgeDue({ deleted }: SessionHead, now: number, served: number): boolean {
  if (!deleted || deleted.purge_at > now) return false;
  return served - (deleted.served_ms ?? 0) >= TRASH_MS;
}
