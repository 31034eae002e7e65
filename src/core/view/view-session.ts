import type { SessionHead, TaskHead } from "../../contract/head.ts";
import type { Session, Task } from "../../contract/session.ts";
import { isStale } from "../recovery/stale.ts";
import { isResumeReady } from "../resume/should-resume.ts";
import { type DriverEvidence, sessionActivity } from "../session/session-activity.ts";
import { DISPLAY_STATUS, STATE } from "../session/status-rules.ts";
import { sessionTimes } from "./session-times.ts";

/**
 * A head as the interfaces show it. `metadata` is a parameter because large values are stored in
 * the log.
 */
export function viewSession(
  head: SessionHead,
  version: number,
  metadata: Readonly<Record<string, unknown>>,
  lease: (DriverEvidence & { readonly holder: { readonly name: string } }) | null,
  now: number,
  queue_position: number | null = null,
): Session {
  const updated_at = iso(head.updated_at);
  const { ended_at, duration_ms } = sessionTimes(head);
  return {
    session_id: head.session_id,
    agent_id: head.session_id,
    entity_id: head.entity_id,
    agent_name: head.agent_name,
    interface: head.interface,
    owner: head.owner,
    purpose: head.purpose,
    title: head.title,
    project: head.project,
    task_id: head.task_id,
    status: head.status,
    state: STATE[head.status],
    display_status: DISPLAY_STATUS[head.status],
    activity: sessionActivity(head, lease, now),
    phase: head.phase,
    run: head.run,
    created_at: iso(head.created_at),
    updated_at,
    last_updated: updated_at,
    ended_at: ended_at === null ? null : iso(ended_at),
    duration: duration_ms === null ? null : duration_ms / 1000,
    summary: head.ended?.summary ?? null,
    metadata: {
      ...metadata,
      ...(head.status === "suspended" && { suspend_reason: head.suspend_reason }),
    },
    suspended_until: head.suspended_until === null ? null : iso(head.suspended_until),
    checkpoint_id: head.checkpoint_id,
    parent_session_id: head.parent?.session_id ?? null,
    supports_resume: head.supports_resume,
    resume_ready: isResumeReady(head),
    error_count: head.error_count,
    last_error: head.last_error,
    history: head.recent_phases.map(({ from_phase, to_phase, at }) => ({
      from_phase,
      to_phase,
      timestamp: iso(at),
    })),
    turn_count: head.counts.turns,
    queued_messages: head.queue.length,
    queue_position,
    open_actions: head.actions.length,
    pending_approvals: head.approvals.length,
    usage: head.usage,
    pinned: head.pinned,
    expires_at: head.expires_at === undefined ? null : iso(head.expires_at),
    deleted_at: head.deleted ? iso(head.deleted.at) : null,
    driver: lease?.live ? lease.holder.name : null,
    stale: isStale(head, lease, now),
    recovery: head.approvals.some(({ kind }) => kind === "recovery") ? "awaiting-approval" : null,
    version,
  };
}

export function viewTask(head: TaskHead): Task {
  const { kind, entity_id, owner, ...task } = head;
  return { ...task, created_at: iso(head.created_at), updated_at: iso(head.updated_at) };
}

/**
 * The same text as `toISOString`. Times shown together are mostly on one day, so the text of the
 * day is cached.
 */
export function iso(at: number): string {
  if (!Number.isSafeInteger(at)) return new Date(at).toISOString();
  const day = Math.floor(at / DAY_MS);
  if (day !== writtenDay.day) {
    const text = new Date(at).toISOString();
    writtenDay = { day, text: text.slice(0, text.indexOf("T") + 1) };
  }
  const ms = at - day * DAY_MS;
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${writtenDay.text}${clock}.${three(ms % 1000)}Z`;
}

const DAY_MS = 86_400_000;
let writtenDay = { day: Number.NaN, text: "" };
/** Filled on first use: a hook or command shows few times. */
const TWO: string[] = [];
const THREE: string[] = [];

function two(n: number): string {
  TWO[n] ??= String(n).padStart(2, "0");
  return TWO[n];
}

function three(n: number): string {
  THREE[n] ??= String(n).padStart(3, "0");
  return THREE[n];
}
