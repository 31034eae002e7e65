import type { SessionHead, SystemHead } from "../contract/head.ts";
import type { Status } from "../contract/vocabulary.ts";
import type { CleanupVerdict } from "./cleanup-rules.ts";
import { judgeCleanup } from "./cleanup-rules.ts";

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

/** A run that agrees with one before it about a strange clock comes at least so much later. */
const AGREES_AFTER = 20 * HOUR;

/**
 * Once a day. A clock that is more than a day past all activity may be wrong, and everything would look old: then the
 * first run waits for a second one that says the same.
 */
export function judgeRetentionRun(
  last: LastRun | null,
  newest: number | null,
  now: number,
): "not due" | "wait" | "remove" {
  // One in the future was written by a clock that has been put right since.
  const since = last && last.at <= now ? now - last.at : null;
  if (since !== null && since < (last?.waits ? AGREES_AFTER : DAY)) return "not due";
  const isStrange = newest !== null && now - newest > DAY;
  const isAgreed = since !== null && last?.waits === true;
  return isStrange && !isAgreed ? "wait" : "remove";
}
