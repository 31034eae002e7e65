import { z } from "zod";
import type { ErrorCode } from "./errors.ts";
import { Project, Usage } from "./events.ts";
import { IdempotencyKey, ItemId, Name, SessionId, SessionRef } from "./ids.ts";
import { LIMITS } from "./limits.ts";
import { AuditEvent, Stats, TimelineEvent } from "./past.ts";
import { Approval, Checkpoint, LogEvent, Session, Task, Turn } from "./session.ts";
import {
  ACTION_STATUSES,
  DECISIONS,
  EFFECTS,
  FINAL_PHASES,
  INTERFACES,
  PHASES,
  STATES,
  STATUSES,
  SUSPEND_REASONS,
  TASK_STATUSES,
} from "./vocabulary.ts";

const Json = z.record(z.string(), z.unknown());
const Limit = z.number().int().min(1).max(LIMITS.PAGE.max).default(LIMITS.PAGE.default);
const Time = z.iso.datetime({ offset: true, local: true }).or(z.iso.date());
const Retry = { idempotency_key: IdempotencyKey.optional() };
const One = { id: SessionRef };
const Changed = { ...One, ...Retry, expected_version: z.number().int().min(1).optional() };

const CLOSED = [
  "session_completed",
  "session_failed",
  "session_cancelled",
  "session_archived",
  "session_deleted",
] as const;
const FOUND = ["invalid_id", "ambiguous_id", "session_not_found"] as const;
const CHANGES = [...FOUND, "version_conflict", "idempotency_conflict"] as const;

interface Operation {
  /** A query changes nothing; a command appends to a log. */
  readonly kind: "query" | "command";
  readonly doc: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly errors: readonly ErrorCode[];
}

/** Every operation of the service, once. Doors derive their forms from this table. */
export const OPERATIONS = {
  create: {
    kind: "command",
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
      ...Retry,
    }),
    output: Session,
    errors: ["invalid_id", "session_exists", "idempotency_conflict", "too_large"],
  },
  get: {
    kind: "query",
    doc: "Show one session",
    input: z.strictObject(One),
    output: Session,
    errors: FOUND,
  },
  update: {
    kind: "command",
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
    doc: "List sessions, the most recently active first",
    input: z.strictObject({
      active_only: z.boolean().default(false).describe("created, active and suspended ones"),
      agent: Name.optional(),
      status: z.array(z.enum(STATUSES)).optional(),
      state: z.enum(STATES).optional(),
      phase: z.enum(PHASES).optional(),
      interface: z.enum(INTERFACES).optional(),
      project: z.string().optional().describe("working directory"),
      task_id: Name.optional(),
      archived: z.boolean().default(false).describe("archived ones too"),
      failed: z.boolean().default(false).describe("failed ones too"),
      deleted: z.boolean().default(false).describe("only what is in the trash"),
      from: Time.optional().describe("still active at or after this time"),
      to: Time.optional().describe("created at or before this time"),
      limit: Limit,
      cursor: z.string().optional(),
    }),
    output: z.object({
      sessions: z.array(Session),
      next_cursor: z.string().nullable(),
      damaged: z.array(z.object({ entity_id: z.string(), session_id: z.string() })),
    }),
    errors: ["unknown_filter"],
  },
  should_resume: {
    kind: "query",
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
    doc: "Pause a session and save a checkpoint of its conversation",
    input: z.strictObject({
      ...Changed,
      reason: z.enum(SUSPEND_REASONS).default("user_requested"),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "session_suspended"],
  },
  resume: {
    kind: "command",
    doc: "Take up a suspended session, from whichever interface",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, ...CLOSED, "session_not_suspended", "recovery_pending"],
  },
  cancel: {
    kind: "command",
    doc: "Give a session up",
    input: z.strictObject({ ...Changed, summary: z.string().optional() }),
    output: Session,
    errors: [...CHANGES, ...CLOSED],
  },
  archive: {
    kind: "command",
    doc: "Put a session away for good; it stays readable",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_archived", "session_deleted"],
  },
  rename: {
    kind: "command",
    doc: "Give a session a title",
    input: z.strictObject({ ...Changed, title: z.string().min(1) }),
    output: Session,
    errors: [...CHANGES, "session_deleted", "too_large"],
  },
  pin: {
    kind: "command",
    doc: "Keep a session from ever being cleaned up",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  unpin: {
    kind: "command",
    doc: "Let a session be cleaned up again",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  delete: {
    kind: "command",
    doc: "Move a session to the trash, from which it can be taken back for 7 days",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_deleted"],
  },
  undelete: {
    kind: "command",
    doc: "Take a session back from the trash",
    input: z.strictObject(Changed),
    output: Session,
    errors: [...CHANGES, "session_not_deleted"],
  },
  fork: {
    kind: "command",
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
    doc: "Read a session's events in order",
    input: z.strictObject({ ...One, after: z.number().int().min(0).default(0), limit: Limit }),
    output: z.object({ events: z.array(LogEvent), next_cursor: z.number().int().nullable() }),
    errors: FOUND,
  },
  turns: {
    kind: "query",
    doc: "Read a session's conversation, the newest turns by default",
    input: z.strictObject({ ...One, before: z.number().int().min(1).optional(), limit: Limit }),
    output: z.object({ turns: z.array(Turn), next_cursor: z.number().int().nullable() }),
    errors: FOUND,
  },
  record_turn: {
    kind: "command",
    doc: "Record a whole turn of an agent that lives elsewhere",
    input: z.strictObject({
      ...Changed,
      turn_id: ItemId.optional(),
      input: z.string(),
      output: z.string(),
      usage: Usage.optional(),
    }),
    output: z.object({ session_id: z.string(), turn_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "too_large"],
  },
  begin_action: {
    kind: "command",
    doc: "Record what an agent is about to do, before it does it",
    input: z.strictObject({
      ...Changed,
      action_id: ItemId.optional(),
      type: Name,
      effects: z.enum(EFFECTS).default("unknown"),
      idempotent: z.boolean().default(false),
      action_key: IdempotencyKey.optional().describe("sent along, so that a repeat is harmless"),
      detachable: z.boolean().default(false),
      orphanable: z.boolean().default(false),
      rollback: z.array(z.object({ title: z.string(), command: z.string() })).default([]),
      details: Json.default({}),
    }),
    output: z.object({ session_id: z.string(), action_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "action_exists", "limit_reached"],
  },
  complete_action: {
    kind: "command",
    doc: "Record what became of an action",
    input: z.strictObject({
      ...Changed,
      action_id: ItemId,
      status: z.enum(ACTION_STATUSES).exclude(["started", "dropped"]).default("completed"),
      result: z.string().min(1).default("success"),
      details: Json.default({}),
    }),
    output: z.object({ session_id: z.string(), action_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "action_not_found"],
  },
  save_checkpoint: {
    kind: "command",
    doc: "Save a named state that can be restored",
    input: z.strictObject({ ...Changed, name: Name, state: Json.default({}) }),
    output: Checkpoint,
    errors: [...CHANGES, ...CLOSED, "too_large"],
  },
  list_checkpoints: {
    kind: "query",
    doc: "List a session's checkpoints, oldest first",
    input: z.strictObject({ ...One, after: z.number().int().min(0).default(0), limit: Limit }),
    output: z.object({
      checkpoints: z.array(Checkpoint.omit({ state: true })),
      next_cursor: z.number().int().nullable(),
    }),
    errors: FOUND,
  },
  show_checkpoint: {
    kind: "query",
    doc: "Show a checkpoint with its state",
    input: z.strictObject({ ...One, name: Name }),
    output: Checkpoint,
    errors: [...FOUND, "checkpoint_not_found"],
  },
  restore_checkpoint: {
    kind: "command",
    doc: "Return to a checkpoint: answers its state and notes that work goes on from there",
    input: z.strictObject({ ...Changed, name: Name }),
    output: Checkpoint,
    errors: [...CHANGES, ...CLOSED, "checkpoint_not_found"],
  },
  request_approval: {
    kind: "command",
    doc: "Ask a person and suspend the session until there is an answer",
    input: z.strictObject({
      ...Changed,
      title: z.string().min(1).max(LIMITS.TITLE),
      body: z.string().optional(),
      expires_at: Time.optional(),
    }),
    output: Approval,
    errors: [...CHANGES, ...CLOSED, "limit_reached"],
  },
  list_approvals: {
    kind: "query",
    doc: "List the questions that wait for a person, over all sessions",
    input: z.strictObject({ limit: Limit, cursor: z.string().optional() }),
    output: z.object({ approvals: z.array(Approval), next_cursor: z.string().nullable() }),
    errors: [],
  },
  decide_approval: {
    kind: "command",
    doc: "Answer a question; the first answer stands",
    input: z.strictObject({
      approval_id: Name,
      decision: z.enum(DECISIONS),
      note: z.string().optional(),
      ...Retry,
    }),
    output: z.object({
      approval_id: z.string(),
      decision: z.enum(DECISIONS),
      session_id: z.string(),
    }),
    errors: ["approval_not_found", "approval_closed"],
  },
  record_outcome: {
    kind: "command",
    doc: "Record something the work has produced",
    input: z.strictObject({
      ...Changed,
      type: Name,
      outcome_id: z.string().min(1).optional(),
      details: Json.default({}),
    }),
    output: Session,
    errors: [...CHANGES, ...CLOSED],
  },
  record_artifact: {
    kind: "command",
    doc: "Record a file or document that the work has produced",
    input: z.strictObject({
      ...Changed,
      name: Name,
      uri: z.string().optional(),
      media_type: z.string().optional(),
      details: Json.default({}),
    }),
    output: z.object({ session_id: z.string(), artifact_id: z.string() }),
    errors: [...CHANGES, ...CLOSED],
  },
  submit_observation: {
    kind: "command",
    doc: "Record what an agent says of its own session; observations of one session are merged",
    // Checked by the model itself, because its rejections have a shape of their own.
    input: z.looseObject({}),
    output: z.object({
      entity_id: z.string(),
      observation_count: z.number().int(),
      warnings: z.array(z.string()).optional(),
    }),
    errors: ["schema_validation_failed"],
  },
  timeline: {
    kind: "query",
    doc: "Show when what was done, over all sessions that refer to an entity, a task or a session",
    input: z.strictObject({
      entity_id: z.string().min(1),
      start_date: Time.optional(),
      end_date: Time.optional().describe("a date alone includes that whole day"),
    }),
    output: z.object({ entity_id: z.string(), events: z.array(TimelineEvent) }),
    errors: [],
  },
  audit: {
    kind: "query",
    doc: "Show who did what, over all sessions and tasks, oldest first",
    input: z.strictObject({
      id: SessionRef.optional(),
      since: Time.optional().describe("default: the last 24 hours"),
      limit: z.number().int().min(1).max(10_000).default(200).describe("the newest ones"),
    }),
    output: z.object({ events: z.array(AuditEvent) }),
    errors: FOUND,
  },
  stats: {
    kind: "query",
    doc: "Count sessions of a span of time: how many resumed, succeeded, failed, and how long they took",
    input: z.strictObject({ from: Time.optional(), to: Time.optional(), agent: Name.optional() }),
    output: Stats,
    errors: [],
  },
  cleanup: {
    kind: "command",
    doc: "Move sessions without activity to the trash, and purge what has been there for 7 days",
    input: z.strictObject({
      hours: z.number().positive(),
      dry_run: z.boolean().default(false).describe("only say what would be removed"),
    }),
    output: z.object({
      removed: z.array(z.string()),
      purged: z.array(z.string()),
      protected: z.array(z.object({ session_id: z.string(), because: z.string() })),
      dry_run: z.boolean(),
    }),
    errors: [],
  },
  add_task: {
    kind: "command",
    doc: "Put a task on the backlog",
    input: z.strictObject({
      task_id: Name.optional(),
      title: z.string().min(1),
      status: z.enum(TASK_STATUSES).default("pending"),
      priority: z.string().optional(),
      est_hours: z.number().nonnegative().optional(),
      added_at: Time.optional(),
      ...Retry,
    }),
    output: Task,
    errors: ["task_exists", "too_large"],
  },
  update_task: {
    kind: "command",
    doc: "Change a task",
    input: z.strictObject({
      task_id: Name,
      title: z.string().min(1).optional(),
      status: z.enum(TASK_STATUSES).optional(),
      priority: z.string().optional(),
      est_hours: z.number().nonnegative().optional(),
      ...Retry,
    }),
    output: Task,
    errors: ["task_not_found", "too_large"],
  },
  list_tasks: {
    kind: "query",
    doc: "List tasks, the most recently changed first",
    input: z.strictObject({
      status: z.enum(TASK_STATUSES).optional(),
      limit: Limit,
      cursor: z.string().optional(),
    }),
    output: z.object({ tasks: z.array(Task), next_cursor: z.string().nullable() }),
    errors: ["unknown_filter"],
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
export type Input<K extends OperationName> = z.input<(typeof OPERATIONS)[K]["input"]>;
export type Parsed<K extends OperationName> = z.output<(typeof OPERATIONS)[K]["input"]>;
export type Output<K extends OperationName> = z.output<(typeof OPERATIONS)[K]["output"]>;
