import { z } from "zod";
import { NewDecision } from "../approval/decided.ts";
import { SeqOrCursor } from "../event-cursor.ts";
import { Project } from "../events.ts";
import { Name, SessionId } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { LogEvent, Session, Turn } from "../session.ts";
import {
  FINAL_PHASES,
  INTERFACES,
  PHASES,
  STATES,
  STATUSES,
  type Status,
  SUSPEND_REASONS,
} from "../vocabulary.ts";
import {
  CHANGES,
  Changed,
  CLOSED,
  Cursor,
  closes,
  FOUND,
  Json,
  Limit,
  One,
  type Operations,
  Retry,
  timeField,
  untilField,
} from "./operation.ts";

const Count = z.number().int().min(0);

/** One number for each status. */
const ByStatus = z.object({
  created: Count,
  active: Count,
  suspended: Count,
  completed: Count,
  failed: Count,
  cancelled: Count,
  archived: Count,
} satisfies Record<Status, typeof Count>);

export const sessionOperations = {
  create: {
    kind: "command",
    scope: "record",
    doc: "Create a session",
    input: z.strictObject({
      agent_name: Name.describe("the agent that does the work"),
      purpose: z.string().optional().describe("what the session is for"),
      session_id: SessionId.optional().describe("the session's id; default: a new id"),
      title: z.string().optional().describe("a short title for lists"),
      task_id: Name.optional().describe("the task it belongs to"),
      metadata: Json.default({}).describe("facts to store with the session, by name"),
      project: Project.optional().describe(
        'the folder and branch it works in, such as {"cwd": "/src/app", "branch": "fix"}',
      ),
      supports_resume: z
        .boolean()
        .default(false)
        .describe("the agent can reopen its own record of the conversation"),
      expires_at: untilField("delete the session at this time"),
      ...Retry,
    }),
    output: Session,
    errors: ["invalid_id", "session_exists", "idempotency_conflict", "too_large", "limit_reached"],
  },
  get: {
    kind: "query",
    scope: "read",
    doc: "Show one session",
    input: z.strictObject(One),
    output: Session,
    errors: FOUND,
  },
  update: {
    kind: "command",
    closes: ({ phase }) => FINAL_PHASES.some((final) => final === phase),
    scope: "record",
    doc: "Change a session's phase or metadata, count an error, or set whether it may be resumed",
    input: z.strictObject({
      ...Changed,
      phase: z
        .enum(PHASES)
        .optional()
        .describe("what the agent is doing; a final phase ends the session"),
      error: z.string().min(1).optional().describe("the text of an error; the session counts it"),
      metadata: Json.optional().describe(
        "facts to store; each key replaces the stored value of that key",
      ),
      resume_ready: z
        .boolean()
        .optional()
        .describe("whether the session may be resumed automatically"),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "too_large", "limit_reached"],
  },
  list: {
    kind: "query",
    scope: "read",
    doc: "List sessions: pinned first, then those that need you, then by last activity",
    input: z.strictObject({
      active_only: z
        .boolean()
        .default(false)
        .describe("only created, active and suspended sessions"),
      agent: Name.optional().describe("only sessions of this agent"),
      status: z
        .array(z.enum(STATUSES))
        .optional()
        .describe("only sessions with one of these statuses"),
      state: z.enum(STATES).optional().describe("only sessions in this state"),
      phase: z.enum(PHASES).optional().describe("only sessions in this phase"),
      interface: z
        .enum(INTERFACES)
        .optional()
        .describe("only sessions last used through this interface"),
      project: z.string().optional().describe("only sessions in this working directory"),
      task_id: Name.optional().describe("only sessions of this task"),
      archived: z.boolean().default(false).describe("also archived and cancelled sessions"),
      failed: z
        .boolean()
        .default(false)
        .describe("all failed sessions, not only those of the last 24 hours"),
      deleted: z.boolean().default(false).describe("only sessions in the trash"),
      from: timeField("last active at or after this time"),
      to: timeField("created at or before this time"),
      search: z
        .string()
        .trim()
        .min(1)
        .max(LIMITS.SEARCH)
        .optional()
        .describe(
          "words to find in the title, purpose, id, agent, project folder, branch, task or summary",
        ),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({
      sessions: z.array(Session),
      next_cursor: z
        .string()
        .nullable()
        .describe("null on the last page; with search, earlier pages may be short or empty"),
      damaged: z.array(z.object({ entity_id: z.string(), session_id: z.string() })),
    }),
    errors: ["unknown_filter"],
  },
  count: {
    kind: "query",
    scope: "read",
    doc: "Count sessions by status, and open approvals",
    input: z.strictObject({}),
    output: z.object({
      by_status: ByStatus.describe("without sessions in the trash"),
      badge: Count.describe("sessions whose display_status is active or suspended"),
      waiting: Count.describe(
        "approvals that wait for you; in shared sessions, those that your role may answer",
      ),
    }),
    errors: [],
  },
  should_resume: {
    kind: "query",
    scope: "read",
    doc: "Check whether a session may be resumed automatically",
    input: z.strictObject(One),
    output: z.object({
      should_resume: z.boolean(),
      reason: z.string(),
      checks: z.array(
        z.object({
          check: z.string(),
          ok: z.boolean(),
          value: z.union([z.string(), z.number(), z.boolean()]),
          expected: z.string(),
        }),
      ),
      decisions: z
        .array(NewDecision)
        .describe("what people decided that the agent may not know yet, newest first"),
    }),
    errors: ["invalid_id", "ambiguous_id"],
  },
  finalize: {
    kind: "command",
    closes,
    scope: "record",
    doc: "End the work of a session with an outcome",
    input: z.strictObject({
      ...Changed,
      outcome: z.enum(FINAL_PHASES).describe("how the run ended"),
      summary: z.string().optional().describe("a short summary of the results"),
      error: z.string().optional().describe("why it failed"),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED],
  },
  suspend: {
    kind: "command",
    scope: "record",
    doc: "Pause a session and save a checkpoint of its conversation",
    input: z.strictObject({
      ...Changed,
      reason: z
        .string()
        .trim()
        .min(1)
        .max(LIMITS.SUSPEND_REASON)
        .default("user_requested")
        .describe(`why it is suspended: any text, or one of: ${SUSPEND_REASONS.join(", ")}`),
      until: timeField("resume the session automatically at this time"),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "session_suspended", "too_large"],
  },
  resume: {
    kind: "command",
    scope: "record",
    doc: "Resume a suspended session, from any interface",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "session_not_suspended", "recovery_pending"],
  },
  cancel: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Stop a session for good; it stays readable and can be forked",
    input: z.strictObject({
      ...Changed,
      summary: z.string().optional().describe("a short reason"),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED],
  },
  archive: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Archive a session permanently; it stays readable",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_archived", "session_deleted"],
  },
  rename: {
    kind: "command",
    scope: "write",
    doc: "Change a session's title",
    input: z.strictObject({ ...Changed, title: z.string().min(1) }),
    output: Session,
    errors: [...CHANGES, "session_deleted", "too_large"],
  },
  pin: {
    kind: "command",
    scope: "write",
    doc: "Pin a session, so that cleanup never removes it",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  unpin: {
    kind: "command",
    scope: "write",
    doc: "Unpin a session, so that cleanup may remove it",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  set_expiry: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Set or remove the time at which a session is deleted",
    input: z.strictObject({
      ...Changed,
      expires_at: untilField("delete the session at this time"),
      never: z
        .boolean()
        .default(false)
        .describe("remove the time, so that the session does not expire"),
    }),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  delete: {
    kind: "command",
    closes,
    scope: "write",
    doc: "Move a session to the trash; you can restore it for 7 days",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  undelete: {
    kind: "command",
    scope: "write",
    doc: "Restore a session from the trash",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_not_deleted"],
  },
  fork: {
    kind: "command",
    scope: "write",
    doc: "Create a session that shares this one's history up to a point",
    input: z.strictObject({
      ...One,
      ...Retry,
      at: z.number().int().min(1).optional().describe("the last event to share; default: all"),
      session_id: SessionId.optional().describe("the session's id; default: a new id"),
      title: z.string().optional().describe("a title for the fork"),
    }),
    output: Session,
    errors: [...FOUND, "session_exists", "event_not_found", "idempotency_conflict"],
  },
  log: {
    kind: "query",
    scope: "read",
    doc: "Read a session's events in order",
    input: z.strictObject({
      ...One,
      after: SeqOrCursor.default(0).describe(
        "only events after this one: its seq, or its cursor, which is checked",
      ),
      before: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe(
          "the last events before this seq; a number above the last seq gives the newest events",
        ),
      limit: Limit,
    }),
    output: z.object({
      events: z.array(LogEvent),
      next_cursor: z
        .number()
        .int()
        .nullable()
        .describe("the value of after, or before, for the next page"),
      cursor: z
        .string()
        .nullable()
        .describe(
          "the cursor of the last of these events, for following the log; null without events",
        ),
    }),
    errors: [...FOUND, "history_changed"],
  },
  turns: {
    kind: "query",
    scope: "read",
    doc: "Read a session's transcript; by default the newest turns",
    input: z.strictObject({
      ...One,
      before: z.number().int().min(1).optional().describe("only turns before this seq"),
      limit: Limit,
    }),
    output: z.object({ turns: z.array(Turn), next_cursor: z.number().int().nullable() }),
    errors: FOUND,
  },
} as const satisfies Operations;
