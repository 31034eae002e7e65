import { z } from "zod";
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
  FOUND,
  Json,
  Limit,
  One,
  type Operations,
  Retry,
  timeField,
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
    doc: "Begin a session",
    input: z.strictObject({
      agent_name: Name,
      purpose: z.string().optional(),
      session_id: SessionId.optional(),
      title: z.string().optional(),
      task_id: Name.optional(),
      metadata: Json.default({}),
      project: Project.optional(),
      supports_resume: z.boolean().default(false),
      expires_at: timeField("delete it at this time"),
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
    scope: "record",
    doc: "Change a session's phase or metadata, count an error, or say whether it may be resumed",
    input: z.strictObject({
      ...Changed,
      phase: z.enum(PHASES).optional(),
      error: z.string().min(1).optional(),
      metadata: Json.optional(),
      resume_ready: z.boolean().optional(),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "too_large", "limit_reached"],
  },
  list: {
    kind: "query",
    scope: "read",
    doc: "List sessions: pinned ones first, then those that need you, then by last activity",
    input: z.strictObject({
      active_only: z.boolean().default(false).describe("created, active and suspended ones"),
      agent: Name.optional(),
      status: z.array(z.enum(STATUSES)).optional(),
      state: z.enum(STATES).optional(),
      phase: z.enum(PHASES).optional(),
      interface: z.enum(INTERFACES).optional(),
      project: z.string().optional().describe("working directory"),
      task_id: Name.optional(),
      archived: z.boolean().default(false).describe("archived and cancelled ones too"),
      failed: z
        .boolean()
        .default(false)
        .describe("all failed ones, not only those of the last 24 hours"),
      deleted: z.boolean().default(false).describe("only what is in the trash"),
      from: timeField("still active at or after this time"),
      to: timeField("created at or before this time"),
      search: z
        .string()
        .trim()
        .min(1)
        .max(LIMITS.SEARCH)
        .optional()
        .describe(
          "words that its title, purpose, id, agent, project folder, branch, task or summary contain",
        ),
      limit: Limit,
      cursor: z.string().optional(),
    }),
    output: z.object({
      sessions: z.array(Session),
      next_cursor: z
        .string()
        .nullable()
        .describe("null at the end; with search, a page may be short or empty before it"),
      damaged: z.array(z.object({ entity_id: z.string(), session_id: z.string() })),
    }),
    errors: ["unknown_filter"],
  },
  count: {
    kind: "query",
    scope: "read",
    doc: "How many sessions there are, by status, and how many questions wait for a person",
    input: z.strictObject({}),
    output: z.object({
      by_status: ByStatus.describe("without those in the trash"),
      badge: Count.describe("those whose display_status is active or suspended"),
      waiting: Count.describe("questions that wait for a person"),
    }),
    errors: [],
  },
  should_resume: {
    kind: "query",
    scope: "read",
    doc: "May this session be picked up automatically?",
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
    }),
    errors: ["invalid_id", "ambiguous_id"],
  },
  finalize: {
    kind: "command",
    scope: "record",
    doc: "End a session's run",
    input: z.strictObject({
      ...Changed,
      outcome: z.enum(FINAL_PHASES),
      summary: z.string().optional(),
      error: z.string().optional(),
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
        .describe(`any text, or a code: ${SUSPEND_REASONS.join(", ")}`),
      until: timeField("resume it by itself at this time"),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "session_suspended", "too_large"],
  },
  resume: {
    kind: "command",
    scope: "record",
    doc: "Take up a suspended session, from whichever interface",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "session_not_suspended", "recovery_pending"],
  },
  cancel: {
    kind: "command",
    scope: "write",
    doc: "Give a session up",
    input: z.strictObject({ ...Changed, summary: z.string().optional() }),
    output: Session,
    errors: [...CHANGES, ...CLOSED],
  },
  archive: {
    kind: "command",
    scope: "write",
    doc: "Put a session away for good; it stays readable",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_archived", "session_deleted"],
  },
  rename: {
    kind: "command",
    scope: "write",
    doc: "Give a session a title",
    input: z.strictObject({ ...Changed, title: z.string().min(1) }),
    output: Session,
    errors: [...CHANGES, "session_deleted", "too_large"],
  },
  pin: {
    kind: "command",
    scope: "write",
    doc: "Keep a session from ever being cleaned up",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  unpin: {
    kind: "command",
    scope: "write",
    doc: "Let a session be cleaned up again",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  set_expiry: {
    kind: "command",
    scope: "write",
    doc: "Say when a session is to be deleted by itself, or that it is not",
    input: z.strictObject({
      ...Changed,
      expires_at: timeField("delete it at this time"),
      never: z.boolean().default(false).describe("instead: take its date away"),
    }),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  delete: {
    kind: "command",
    scope: "write",
    doc: "Move a session to the trash, from which it can be taken back for 7 days",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  undelete: {
    kind: "command",
    scope: "write",
    doc: "Take a session back from the trash",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_not_deleted"],
  },
  fork: {
    kind: "command",
    scope: "write",
    doc: "Begin a new session that shares this one's history up to a point",
    input: z.strictObject({
      ...One,
      ...Retry,
      at: z.number().int().min(1).optional().describe("the last event to share; default: all"),
      session_id: SessionId.optional(),
      title: z.string().optional(),
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
      after: z.number().int().min(0).default(0).describe("only those behind this seq"),
      before: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe("instead: the newest before this seq, which may lie beyond the end"),
      limit: Limit,
    }),
    output: z.object({
      events: z.array(LogEvent),
      next_cursor: z
        .number()
        .int()
        .nullable()
        .describe("the after, or the before, of the next page"),
    }),
    errors: FOUND,
  },
  turns: {
    kind: "query",
    scope: "read",
    doc: "Read a session's conversation, the newest turns by default",
    input: z.strictObject({ ...One, before: z.number().int().min(1).optional(), limit: Limit }),
    output: z.object({ turns: z.array(Turn), next_cursor: z.number().int().nullable() }),
    errors: FOUND,
  },
} as const satisfies Operations;
