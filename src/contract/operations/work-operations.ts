import { z } from "zod";
import { ApprovalChoice } from "../approval/approval-choice.ts";
import { FilesDifference } from "../branch/checkpoint-files.ts";
import { Usage } from "../events.ts";
import { IdempotencyKey, ItemId, Name } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { Approval, Artifact, Checkpoint, Session } from "../session.ts";
import { ACTION_STATUSES, DECISIONS, EFFECTS } from "../vocabulary.ts";
import {
  CHANGES,
  Changed,
  CLOSED,
  Cursor,
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
    doc: "Record a whole turn of an agent that Belay does not run",
    input: z.strictObject({
      ...Changed,
      turn_id: ItemId.optional().describe("the turn's id; default: a new id"),
      input: z.string().describe("the message to the agent"),
      output: z.string().describe("the agent's answer"),
      usage: Usage.optional().describe(
        'tokens and cost, such as {"input_tokens": 5, "output_tokens": 9, "cost_usd": 0.01}',
      ),
    }),
    output: z.object({ session_id: z.string(), turn_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "too_large"],
  },
  begin_action: {
    kind: "command",
    scope: "record",
    doc: "Record an action before the agent starts it",
    input: z.strictObject({
      ...Changed,
      action_id: ItemId.optional().describe("the action's id; default: a new id"),
      type: Name,
      effects: z
        .enum(EFFECTS)
        .default("unknown")
        .describe("what the action may change; default: unknown"),
      idempotent: z
        .boolean()
        .default(false)
        .describe("running it twice has the same effect as once"),
      action_key: IdempotencyKey.optional().describe(
        "the idempotency key that the action sends, so that a repeat is harmless",
      ),
      detachable: z.boolean().default(false).describe("its process may outlive the session"),
      orphanable: z.boolean().default(false).describe("recovery never stops its process"),
      rollback: z
        .array(z.object({ title: z.string(), command: z.string() }))
        .default([])
        .describe(
          'the commands that undo it, such as [{"title": "back to v1", "command": "./deploy v1"}]',
        ),
      pid: z
        .number()
        .int()
        .positive()
        .optional()
        .describe("the id of its process; a token needs scope admin for pid, rollback and paths"),
      cmd: z.string().optional().describe("the command line of the process"),
      stdout_path: z.string().optional().describe("the file with its standard output"),
      stderr_path: z.string().optional().describe("the file with its standard error"),
      temporary: z
        .array(z.string().min(1).max(LIMITS.TEMPORARY.path))
        .max(LIMITS.TEMPORARY.files)
        .default([])
        .describe("files in the project folder to remove before a local action is repeated"),
      details: Json.default({}).describe("facts to store with the action"),
    }),
    output: z.object({ session_id: z.string(), action_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "action_exists", "limit_reached"],
  },
  complete_action: {
    kind: "command",
    scope: "record",
    doc: "Record the result of an action",
    input: z.strictObject({
      ...Changed,
      action_id: ItemId,
      status: z
        .enum(ACTION_STATUSES)
        .exclude(["started", "dropped"])
        .default("completed")
        .describe("how the action ended; default: completed"),
      result: z
        .string()
        .min(1)
        .default("success")
        .describe("the result in one word; default: success"),
      details: Json.default({}).describe("facts to store with the result"),
    }),
    output: z.object({ session_id: z.string(), action_id: z.string(), version: z.number().int() }),
    errors: [...CHANGES, ...CLOSED, "session_held", "action_not_found"],
  },
  save_checkpoint: {
    kind: "command",
    scope: "record",
    doc: "Save a named state that can be restored",
    input: z.strictObject({
      ...Changed,
      name: Name,
      state: Json.default({}).describe("the state to save"),
    }),
    output: Checkpoint,
    errors: [...CHANGES, ...CLOSED, "too_large"],
  },
  list_checkpoints: {
    kind: "query",
    scope: "read",
    doc: "List a session's checkpoints, oldest first",
    input: z.strictObject({
      ...One,
      after: z.number().int().min(0).default(0).describe("only entries after this seq"),
      limit: Limit,
    }),
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
      id: One.id.optional().describe("not needed if name is the checkpoint's id"),
      name: Name.describe("the checkpoint's name or id"),
    }),
    output: Checkpoint,
    errors: [...FOUND, "checkpoint_not_found"],
  },
  restore_checkpoint: {
    kind: "command",
    scope: "record",
    doc: "Return to a checkpoint: show its state, and record that work continues from there; a finished session is not changed",
    input: z.strictObject({
      ...Changed,
      name: Name,
      fork: z
        .boolean()
        .default(false)
        .describe("continue from there in a fork (needs scope write)"),
      files: z.boolean().default(false).describe("also restore the files (needs scope admin)"),
      dry_run: z.boolean().default(false).describe("only show the state and the file difference"),
      expected_files: z
        .string()
        .optional()
        .describe(
          "the value of present from a dry run; the restore is refused if files have changed since",
        ),
    }),
    output: Checkpoint.extend({
      session_id: z.string().describe("the session in which work continues"),
      restored: z.boolean().describe("false if nothing was changed"),
      difference: FilesDifference.optional(),
    }),
    errors: [
      ...CHANGES,
      "session_deleted",
      "checkpoint_not_found",
      "turn_open",
      "work_tree_refused",
    ],
  },
  request_approval: {
    kind: "command",
    scope: "record",
    doc: "Request an approval from a person, and suspend the session until it is answered",
    input: z.strictObject({
      ...Changed,
      title: z.string().min(1).max(LIMITS.TITLE),
      body: z.string().optional().describe("details that help to decide"),
      expires_at: timeField("when the request expires; default: never"),
    }),
    output: Approval,
    errors: [...CHANGES, ...CLOSED, "limit_reached"],
  },
  list_approvals: {
    kind: "query",
    scope: "read",
    doc: "List open or decided approvals",
    input: z.strictObject({
      id: One.id.optional().describe("only approvals of this session; default: all sessions"),
      approval_id: Name.optional().describe("only the approval with this whole id, open or not"),
      decided: z
        .boolean()
        .default(false)
        .describe("decided and expired approvals, newest first: the newest 20 of each session"),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({
      approvals: z.array(Approval),
      next_cursor: z
        .string()
        .nullable()
        .describe("null on the last page; with decided, earlier pages may be short or empty"),
      damaged: z.array(z.string()).describe("sessions that cannot be read"),
    }),
    errors: [...FOUND, "approval_not_found"],
  },
  decide_approval: {
    kind: "command",
    scope: "write",
    doc: "Approve or reject a request; the first answer counts",
    input: z.strictObject({
      approval_id: Name,
      decision: z.enum(DECISIONS).optional().describe("required unless an option is chosen"),
      option: z
        .string()
        .min(1)
        .max(LIMITS.CHOICES.text)
        .optional()
        .describe("one of the agent's own options: its option_id, or its name if only one has it"),
      note: z.string().optional().describe("a reason or an instruction for the agent"),
      always: z.boolean().default(false).describe("give the same answer to all similar requests"),
      digest: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe("the digest of the question as it was shown; refused if it has changed since"),
      ...Retry,
    }),
    output: z.object({
      approval_id: z.string(),
      decision: z.enum(DECISIONS),
      choice: ApprovalChoice.nullable().describe("the option that the agent gets"),
      session_id: z.string(),
    }),
    errors: ["approval_not_found", "approval_closed", "approval_changed"],
  },
  record_outcome: {
    kind: "command",
    scope: "record",
    doc: "Record an outcome of the work",
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
    doc: "Record an artifact: a file or document that the work produced",
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
    doc: "List a session's artifacts, oldest first",
    input: z.strictObject({
      ...One,
      after: z.number().int().min(0).default(0).describe("only entries after this seq"),
      limit: Limit,
    }),
    output: z.object({
      artifacts: z.array(Artifact),
      next_cursor: z.number().int().nullable(),
    }),
    errors: FOUND,
  },
  submit_observation: {
    kind: "command",
    scope: "record",
    doc: "Record an agent's report about its own session; reports about one session are merged",
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
