import type { ServedTime, SessionHead, SystemHead } from "../contract/head.ts";
import { TRASH_MS } from "../contract/limits.ts";
import type { Status } from "../contract/vocabulary.ts";
import type { CleanupVerdict } from "./judge-cleanup.ts";
import { judgeCleanup } from "./judge-cleanup.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How long a session is kept without activity; null for ever. */
interface Keeping {
  readonly plain: number | null;
  /** Where its agent can open its own session again. */
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

/** What nobody has asked for is removed only by these rules. One that is to go on later is counted from then. */
export function judgeRetention(head: SessionHead, now: number, live: boolean): CleanupVerdict {
  const kept = KEPT_FOR[head.status][head.supports_resume ? "resumable" : "plain"];
  if (kept === null) return { remove: false, because: null };
  const before = now - kept;
  if ((head.suspended_until ?? 0) >= before) return { remove: false, because: null };
  return judgeCleanup(head, before, live);
}

type LastRun = NonNullable<SystemHead["retention"]>;

/** A clock that only rises, from the start of the machine on. */
export interface Uptime {
  readonly boot_id: string | null;
  readonly uptime_ms: number;
}

/**
 * How long servers have run in all. Time counts while the machine was up between two looks, at most a day for each
 * look, so that no setting of the clock adds anything, nor time in which no server ran.
 */
export function countServed(last: ServedTime | null, now: Uptime): number {
  if (!last) return 0;
  const isSameBoot = last.boot_id === now.boot_id && last.uptime_ms <= now.uptime_ms;
  const passed = isSameBoot ? now.uptime_ms - last.uptime_ms : now.uptime_ms;
  return last.total_ms + Math.min(passed, DAY);
}

/** Whether it is worth writing down: what is not is lost when the machine restarts. */
export function isServedDue(last: ServedTime | null, total: number): boolean {
  return last === null || total - last.total_ms >= HOUR;
}

/**
 * Once for each day that servers have run. A session goes when it was due in the run before too: a clock that is wrong
 * makes sessions look old, whatever is written meanwhile, and a day is left to put it right. Answers the moment of
 * which sessions are judged, null in the first run, which removes nothing.
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

/** The trash keeps a session for its time by the clock, and until servers have run for as long. */
export function isPurgeDue({ deleted }: SessionHead, now: number, served: number): boolean {
  if (!deleted || deleted.purge_at > now) return false;
  return served - (deleted.served_ms ?? 0) >= TRASH_MS;
}
