import type { SessionCommandType } from "../../contract/commands.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import {
  type DisplayStatus,
  type FollowedStatus,
  type State,
  type Status,
  UNFINISHED_STATUSES,
} from "../../contract/vocabulary.ts";

/**
 * The rule for each command in each status: `ok`; `ok` after the session became active for the
 * first time (`activate`), again (`wake`) or for the next run (`continue`); or the code of the
 * refusal.
 */
export type Rule = "ok" | "activate" | "wake" | "continue" | ErrorCode;
type Rules = Readonly<Record<Status, Rule>>;

const whenFinished = {
  completed: "session_completed",
  failed: "session_failed",
  cancelled: "session_cancelled",
  archived: "session_archived",
} as const;
const always = {
  created: "ok",
  active: "ok",
  suspended: "ok",
  completed: "ok",
  failed: "ok",
  cancelled: "ok",
  archived: "ok",
} as const satisfies Rules;
const untilFinished = { ...always, ...whenFinished } as const satisfies Rules;
/** Work of the agent activates its session. */
const work = { ...untilFinished, created: "activate", suspended: "wake" } as const satisfies Rules;

export const STATUS_RULES = {
  create: {
    created: "session_exists",
    active: "session_exists",
    suspended: "session_exists",
    completed: "session_exists",
    failed: "session_exists",
    cancelled: "session_exists",
    archived: "session_exists",
  },
  fork: always,
  annotate: { ...untilFinished, completed: "ok" },
  merge: { ...untilFinished, completed: "ok" },
  handoff: { ...untilFinished, completed: "ok" },
  set_resume_ready: untilFinished,
  record_error: untilFinished,
  set_phase: work,
  suspend: { ...untilFinished, suspended: "session_suspended" },
  resume: { ...untilFinished, created: "session_not_suspended", active: "session_not_suspended" },
  finalize: untilFinished,
  archive: { ...always, archived: "session_archived" },
  rename: always,
  pin: always,
  unpin: always,
  share: always,
  unshare: always,
  set_expiry: always,
  delete: always,
  undelete: always,
  send_message: { ...work, suspended: "session_suspended", completed: "continue" },
  interrupt: {
    ...untilFinished,
    created: "nothing_to_interrupt",
    suspended: "nothing_to_interrupt",
  },
  note_recovered: untilFinished,
  note_agent_started: untilFinished,
  note_imported: { ...untilFinished, completed: "ok" },
  note_agent_stopped: { ...untilFinished, completed: "ok" },
  record_turn: { ...work, completed: "continue" },
  save_checkpoint: untilFinished,
  restore_checkpoint: untilFinished,
  request_approval: { ...work, suspended: "ok" },
  decide_approval: always,
  expire_approval: always,
  observe: always,
  record_outcome: untilFinished,
  record_artifact: untilFinished,
  start_turn: { ...work, suspended: "session_suspended" },
  append_part: untilFinished,
  end_turn: untilFinished,
  begin_action: work,
  describe_action: untilFinished,
  complete_action: untilFinished,
} as const satisfies Record<SessionCommandType, Rules>;

/**
 * The status that a session list shows: completed sessions can always be continued, cancelled ones
 * are archived.
 */
export const DISPLAY_STATUS = {
  created: "active",
  active: "active",
  suspended: "suspended",
  completed: "active",
  failed: "error",
  cancelled: "archived",
  archived: "archived",
} as const satisfies Record<Status, DisplayStatus>;

/** The five states of the agent-session API. */
export const STATE = {
  created: "created",
  active: "active",
  suspended: "suspended",
  completed: "completed",
  failed: "failed",
  cancelled: "completed",
  archived: "completed",
} as const satisfies Record<Status, State>;

/** The status that a task gets from its newest session; null changes nothing. */
export const TASK_STATUS = {
  created: "running",
  active: "running",
  suspended: "suspended",
  completed: "completed",
  failed: "failed",
  cancelled: "failed",
  archived: null,
} as const satisfies Record<Status, FollowedStatus | null>;

const UNFINISHED: ReadonlySet<Status> = new Set(UNFINISHED_STATUSES);

export function isUnfinished(status: Status): boolean {
  return UNFINISHED.has(status);
}
