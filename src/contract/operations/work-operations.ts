import { z } from "zod";
import { Usage } from "../events.ts";
import { IdempotencyKey, ItemId, Name } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { Approval, Artifact, Checkpoint, Session } from "../session.ts";
import { ACTION_STATUSES, DECISIONS, EFFECTS } from "../vocabulary.ts";
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

export const workOperations = {
  record_turn: {
    kind: "command",
    scope: "record",
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
    scope: "record",
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
      pid: z
        .number()
        .int()
        .positive()
        .optional()
        .describe("the process that does it; like rollback and the paths, needs scope admin"),
      cmd: z.string().optional(),
      stdout_path: z.string().optional(),
      stderr_path: z.string().optional(),
      temporary: z
        .array(z.string().min(1).max(LIMITS.TEMPORARY.path))
        .max(LIMITS.TEMPORARY.files)
        .default([])
        .describe("files in the project folder that are removed before a local action is repeated"),
      details: Json.default({}),
    }),
    output: z.object({ session_id: z.string(), action_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "action_exists", "limit_reached"],
  },
  complete_action: {
    kind: "command",
    scope: "record",
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
    scope: "record",
    doc: "Save a named state that can be restored",
    input: z.strictObject({ ...Changed, name: Name, state: Json.default({}) }),
    output: Checkpoint,
    errors: [...CHANGES, ...CLOSED, "too_large"],
  },
  list_checkpoints: {
    kind: "query",
    scope: "read",
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
    scope: "read",
    doc: "Show a checkpoint with its state",
    input: z.strictObject({
      id: One.id.optional().describe("may be left out where name is the checkpoint's id"),
      name: Name.describe("its name or its id"),
    }),
    output: Checkpoint,
    errors: [...FOUND, "checkpoint_not_found"],
  },
  restore_checkpoint: {
    kind: "command",
    scope: "record",
    doc: "Return to a checkpoint: answers its state and notes that work goes on from there; of a finished session, only answers it",
    input: z.strictObject({
      ...Changed,
      name: Name,
      fork: z.boolean().default(false).describe("go on from there in a fork (needs scope write)"),
    }),
    output: Checkpoint.extend({
      session_id: z.string().describe("where work goes on"),
      restored: z.boolean().describe("false for a finished session, which is only looked at"),
    }),
    errors: [...CHANGES, "session_deleted", "checkpoint_not_found"],
  },
  request_approval: {
    kind: "command",
    scope: "record",
    doc: "Ask a person and suspend the session until there is an answer",
    input: z.strictObject({
      ...Changed,
      title: z.string().min(1).max(LIMITS.TITLE),
      body: z.string().optional(),
      expires_at: timeField(),
    }),
    output: Approval,
    errors: [...CHANGES, ...CLOSED, "limit_reached"],
  },
  list_approvals: {
    kind: "query",
    scope: "read",
    doc: "List the questions that wait for a person, over all sessions",
    input: z.strictObject({ limit: Limit, cursor: z.string().optional() }),
    output: z.object({
      approvals: z.array(Approval),
      next_cursor: z.string().nullable(),
      damaged: z.array(z.string()).describe("sessions that cannot be read"),
    }),
    errors: [],
  },
  decide_approval: {
    kind: "command",
    scope: "write",
    doc: "Answer a question; the first answer stands",
    input: z.strictObject({
      approval_id: Name,
      decision: z.enum(DECISIONS),
      note: z.string().optional(),
      always: z.boolean().default(false).describe("the same answer to all that is alike"),
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
    scope: "record",
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
    scope: "record",
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
  list_artifacts: {
    kind: "query",
    scope: "read",
    doc: "List what a session has produced, oldest first",
    input: z.strictObject({ ...One, after: z.number().int().min(0).default(0), limit: Limit }),
    output: z.object({
      artifacts: z.array(Artifact),
      next_cursor: z.number().int().nullable(),
    }),
    errors: FOUND,
  },
  submit_observation: {
    kind: "command",
    scope: "record",
    doc: "Record what an agent says of its own session; observations of one session are merged",
    // The model validates the input itself, because its rejections have a shape of their own.
    input: z.looseObject({}),
    output: z.object({
      entity_id: z.string(),
      observation_count: z.number().int(),
      warnings: z.array(z.string()).optional(),
    }),
    errors: ["schema_validation_failed"],
  },
} as const satisfies Operations;
