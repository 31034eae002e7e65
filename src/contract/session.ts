import { z } from "zod";
import { RollbackStep } from "./action/intent.ts";
import { ApprovalChoice } from "./approval/approval-choice.ts";
import { Decided, NewDecision } from "./approval/decided.ts";
import { CheckpointFiles, FilesSkipped } from "./branch/checkpoint-files.ts";
import { Project, Usage } from "./events.ts";
import {
  ACTIVITIES,
  DISPLAY_STATUSES,
  EFFECTS,
  INTERFACES,
  PERMISSION_KINDS,
  PHASES,
  STATES,
  STATUSES,
} from "./vocabulary.ts";

const Time = z.string().describe("ISO 8601, UTC");

/** A session as every interface shows it. */
export const Session = z.object({
  session_id: z.string(),
  agent_id: z.string().describe("the same as session_id"),
  entity_id: z.string(),
  agent_name: z.string(),
  interface: z.enum(INTERFACES),
  owner: z.string(),
  purpose: z.string().nullable(),
  title: z.string().nullable(),
  project: Project.nullable(),
  task_id: z.string(),
  status: z.enum(STATUSES),
  state: z.enum(STATES),
  display_status: z.enum(DISPLAY_STATUSES),
  activity: z
    .enum(ACTIVITIES)
    .describe("what the session is doing; interrupted: a process ended in the middle of its work"),
  phase: z.enum(PHASES),
  run: z.number().int(),
  created_at: Time,
  updated_at: Time,
  last_updated: Time.describe("the same as updated_at"),
  ended_at: Time.nullable(),
  duration: z.number().nullable().describe("length of the last finished run, in seconds"),
  summary: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  suspended_until: Time.nullable().describe("when it is resumed automatically"),
  checkpoint_id: z.string().nullable(),
  parent_session_id: z.string().nullable(),
  supports_resume: z.boolean(),
  resume_ready: z.boolean(),
  error_count: z.number().int(),
  last_error: z.string().nullable(),
  history: z
    .array(z.object({ from_phase: z.enum(PHASES), to_phase: z.enum(PHASES), timestamp: Time }))
    .describe("phase changes, oldest first; lists show the newest few"),
  turn_count: z.number().int(),
  queued_messages: z.number().int(),
  queue_position: z
    .number()
    .int()
    .nullable()
    .describe("set if the session waits for a free agent of this server; 1 is the next"),
  open_actions: z.number().int(),
  pending_approvals: z.number().int(),
  decisions: z
    .array(NewDecision)
    .optional()
    .describe(
      "what people decided since the agent's last turn or, if Belay does not run the agent, since it last recorded work; newest first, at most 10; not in lists",
    ),
  usage: Usage,
  pinned: z.boolean(),
  expires_at: Time.nullable().describe("when it is deleted automatically"),
  deleted_at: Time.nullable(),
  driver: z.string().nullable().describe("the process that runs the agent now"),
  stale: z.boolean().describe("true if work was in progress when its process ended"),
  recovery: z.enum(["awaiting-approval"]).nullable(),
  version: z.number().int().describe("the seq of its newest event"),
  warnings: z.array(z.string()).optional().describe("set if a change may be a mistake"),
});
export type Session = z.infer<typeof Session>;

export const LogEvent = z.object({
  seq: z.number().int(),
  type: z.string(),
  at: Time,
  actor: z.string(),
  interface: z.string(),
  trace_id: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  hash: z.string(),
});
export type LogEvent = z.infer<typeof LogEvent>;

/** An event of a log that is followed. */
export interface FollowedEvent extends LogEvent {
  /** The place after it, from which a reader can continue. */
  readonly cursor: string;
}

export const Turn = z.object({
  turn_id: z.string(),
  status: z.string(),
  input: z.string(),
  output: z.string(),
  started_at: Time,
  ended_at: Time.nullable(),
  seq: z.number().int(),
  whole_bytes: z
    .number()
    .int()
    .optional()
    .describe(
      "set if input and output were cut at 2 MB; the log contains them in full, from seq on",
    ),
  agent_name: z.string().optional().describe("the agent that answered, if Belay ran it"),
  merged: z
    .object({
      session_id: z.string(),
      entity_id: z.string(),
      turns: z.number().int(),
      after: z.number().int(),
      to: z.number().int(),
    })
    .optional()
    .describe("set for a merge: the session it merged, and where its turns are"),
});
export type Turn = z.infer<typeof Turn>;

const MergedFrom = z.string().optional().describe("the session it was merged from");

export const Checkpoint = z.object({
  name: z.string(),
  checkpoint_id: z.string().nullable(),
  timestamp: Time,
  state: z.record(z.string(), z.unknown()),
  files: CheckpointFiles.optional(),
  files_skipped: FilesSkipped.optional(),
  merged_from: MergedFrom,
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** A product of the work. A `blob:` uri is a file stored with the session. */
export const Artifact = z.object({
  artifact_id: z.string(),
  name: z.string(),
  uri: z.string().nullable(),
  media_type: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
  created_at: Time,
  merged_from: MergedFrom,
});
export type Artifact = z.infer<typeof Artifact>;

export const FileDiff = z.object({
  path: z.string(),
  before: z.string().nullable().describe("null for a new file"),
  after: z.string(),
});
export type FileDiff = Readonly<z.infer<typeof FileDiff>>;

/** The action that a question is about. Long texts are cut and marked. */
export const ApprovalAction = z.object({
  action_id: z.string(),
  type: z.string(),
  title: z.string(),
  effects: z.enum(EFFECTS),
  input: z.unknown(),
  diffs: z.array(FileDiff),
});
export type ApprovalAction = z.infer<typeof ApprovalAction>;

export const Approval = z.object({
  approval_id: z.string(),
  session_id: z.string(),
  agent_name: z.string(),
  kind: z.string(),
  title: z.string(),
  body: z.string().nullable(),
  requested_at: Time,
  expires_at: Time.nullable(),
  options: z
    .array(z.enum(PERMISSION_KINDS))
    .describe("the kinds of answers that the agent offers; empty: approve or reject"),
  choices: z
    .array(ApprovalChoice)
    .describe("the agent's own options, in its order; answer with the option_id of one"),
  missing_choices: z
    .number()
    .int()
    .describe("options that are too many to show; if there are any, it can only be rejected"),
  digest: z
    .string()
    .describe(
      "of everything that is asked; send it with the answer, which is refused after a change",
    ),
  action: ApprovalAction.nullable().describe("the tool call or action it is about"),
  rollback: z
    .array(RollbackStep)
    .describe("for a recovery: the commands that the answer rollback would run"),
  session_title: z.string().nullable(),
  answerable: z.boolean().describe("false if the process that asked has ended"),
  seq: z.number().int().describe("the event that requested it"),
  decided: Decided.nullable().describe("null while it is open"),
});
export type Approval = z.infer<typeof Approval>;

export const Task = z.object({
  task_id: z.string(),
  title: z.string(),
  status: z.string(),
  source: z.string(),
  priority: z.string().nullable(),
  est_hours: z.number().nullable(),
  added_at: z.string().nullable(),
  session_id: z.string().nullable(),
  created_at: Time,
  updated_at: Time,
});
export type Task = z.infer<typeof Task>;
