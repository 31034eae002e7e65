import type { SessionHead } from "../../contract/head.ts";
import type { ResumePolicy } from "../../contract/limits.ts";
import type { Phase, Status } from "../../contract/vocabulary.ts";

interface ResumeCheck {
  readonly check: "session_exists" | "resume_ready" | "phase" | "idle" | "errors" | "recovery";
  readonly ok: boolean;
  readonly value: string | number | boolean;
  readonly expected: string;
}
interface ResumeAdvice {
  readonly should_resume: boolean;
  readonly reason:
    | "session_resumable"
    | "session_not_found"
    | "not_resume_ready"
    | "phase_not_resumable"
    | "idle_too_long"
    | "too_many_errors"
    | "recovery_pending";
  readonly checks: readonly ResumeCheck[];
}

export const RESUMABLE = {
  initializing: false,
  investigating: true,
  planning: true,
  approval: true,
  executing: false,
  validating: false,
  completed: false,
  failed: false,
  abandoned: false,
} as const satisfies Record<Phase, boolean>;

const READY = {
  created: true,
  active: true,
  suspended: true,
  completed: false,
  failed: false,
  cancelled: false,
  archived: false,
} as const satisfies Record<Status, boolean>;

/** True unless someone switched it off; never true for a finished session. */
export function isResumeReady(head: SessionHead): boolean {
  return head.resume_ready && READY[head.status] && !head.deleted;
}

/** The process that just sent a message gets this long to start working on it. */
export const LEFT_AFTER_MS = 5000;

/**
 * True if waiting messages may be worked on without their sender. Old messages may be unwanted by
 * now, so they stay. Interrupted work must be recovered first, and its questions answered.
 */
export function mayDriveWaiting(head: SessionHead, now: number, policy: ResumePolicy): boolean {
  return now - head.updated_at >= LEFT_AFTER_MS && mayWorkOn(head, now, policy);
}

/** The same check for a driver that is known to be dead, so it does not wait. */
export function mayWorkOn(head: SessionHead, now: number, policy: ResumePolicy): boolean {
  if (head.status !== "active" || head.queue.length === 0 || !isResumeReady(head)) return false;
  if (head.turn !== null || head.approvals.length > 0) return false;
  return now - head.updated_at < policy.idle_ms && head.error_count < policy.max_errors;
}

/**
 * Decides if a session may be resumed automatically. Hooks use it as advice; a person may resume
 * any suspended session.
 */
export function shouldResume(
  head: SessionHead | null,
  now: number,
  policy: ResumePolicy,
): ResumeAdvice {
  if (!head) {
    const missing = { check: "session_exists", ok: false, value: false, expected: "true" } as const;
    return { should_resume: false, reason: "session_not_found", checks: [missing] };
  }
  const idle = now - head.updated_at;
  const isAsked = head.approvals.some(({ kind }) => kind === "recovery");
  const checks = [
    { check: "session_exists", ok: true, value: true, expected: "true" },
    {
      check: "resume_ready",
      ok: isResumeReady(head),
      value: isResumeReady(head),
      expected: "true",
    },
    {
      check: "phase",
      ok: RESUMABLE[head.phase],
      value: head.phase,
      expected: "investigating, planning or approval",
    },
    {
      check: "idle",
      ok: idle < policy.idle_ms,
      value: Math.floor(idle / 1000),
      expected: `less than ${policy.idle_ms / 1000} seconds`,
    },
    {
      check: "errors",
      ok: head.error_count < policy.max_errors,
      value: head.error_count,
      expected: `fewer than ${policy.max_errors}`,
    },
    {
      check: "recovery",
      ok: !isAsked,
      value: isAsked ? "waits for an answer" : "nothing to decide",
      expected: "nothing to decide",
    },
  ] as const satisfies readonly ResumeCheck[];
  const failed = checks.find((check) => !check.ok);
  return {
    should_resume: !failed,
    reason: failed ? REASON[failed.check] : "session_resumable",
    checks,
  };
}

const REASON = {
  session_exists: "session_not_found",
  resume_ready: "not_resume_ready",
  phase: "phase_not_resumable",
  idle: "idle_too_long",
  errors: "too_many_errors",
  recovery: "recovery_pending",
} as const satisfies Record<ResumeCheck["check"], ResumeAdvice["reason"]>;
