import { z } from "zod";
import { ACCESS_EVENTS, Delivery, SHARE_EVENTS } from "./access-events.ts";
import { Intent, Process, RollbackStep } from "./action/intent.ts";
import { ApprovalChoice } from "./approval/approval-choice.ts";
import { CHECKPOINT_EVENTS } from "./branch/checkpoint-files.ts";
import { MergedWork } from "./branch/merged-work.ts";
import { Observation } from "./observation.ts";
import {
  ACTION_STATUSES,
  APPROVAL_KINDS,
  DECISIONS,
  EFFECTS,
  FOLLOWED_STATUSES,
  INTERFACES,
  MIRRORS,
  OPEN_WAYS,
  PART_KINDS,
  PERMISSION_KINDS,
  PHASES,
  RECOVERY_STATUSES,
  RECOVERY_STEPS,
  TURN_OUTCOMES,
  WEBHOOK_EVENTS,
  WEBHOOK_PRESETS,
  WEBHOOK_RESTARTS,
} from "./vocabulary.ts";

const Json = z.record(z.string(), z.unknown());
const Text = z.string();

export const Project = z.object({
  cwd: Text.nullable(),
  repo: Text.nullable(),
  branch: Text.nullable(),
});
export type Project = z.infer<typeof Project>;

export const Usage = z.object({
  input_tokens: z.number().nonnegative(),
  output_tokens: z.number().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

const Finished = z.object({
  summary: Text.nullable(),
  duration_ms: z.number().nonnegative(),
});
const Nothing = z.object({});
/** Metadata keys that are stored in the session's row from here on, not in its head. */
const Beside = z.array(Text).optional();

/** The state of an agent when it last worked on a session. */
export const AgentMemory = z.object({
  session_id: Text,
  made_at: z.number(),
  reopens: z.boolean(),
  clean: z.boolean(),
  left: z.number().int(),
});
export type AgentMemory = z.infer<typeof AgentMemory>;

/** The body of each event type. A new type needs a line here, one in `evolve` and one in `index`. */
export const SESSION_EVENTS = {
  "session.created": z.object({
    session_id: Text,
    entity_id: Text,
    owner: Text,
    agent_name: Text,
    interface: z.enum(INTERFACES),
    purpose: Text.nullable(),
    title: Text.nullable(),
    project: Project.nullable(),
    task_id: Text,
    metadata: Json,
    beside: Beside,
    supports_resume: z.boolean(),
    /** The token with scope `record` that created the session. No other token with that scope can access it. */
    recorder: Text.optional(),
    expires_at: z.number().optional(),
    /** True if the session is only known from observations that its agent submits. */
    observed: z.boolean(),
  }),
  "session.forked": z.object({
    session_id: Text,
    entity_id: Text,
    owner: Text,
    interface: z.enum(INTERFACES),
    title: Text.nullable(),
    parent: z.object({ session_id: Text, entity_id: Text, seq: z.number().int() }),
    /** Set if another agent works on the fork. */
    agent_name: Text.optional(),
  }),
  /** The work of a fork, or of another session of the same lineage, was merged into this one. */
  "session.merged": MergedWork.extend({ beside: Beside }),
  /** Another agent continues. `agent` is its state when it last worked here; `left` is the last event it knew. */
  "session.handed_off": z.object({
    from: Text,
    to: Text,
    agent: AgentMemory.nullable(),
  }),
  "session.updated": z.object({
    metadata: Json.optional(),
    beside: Beside,
    resume_ready: z.boolean().optional(),
    supports_resume: z.boolean().optional(),
  }),
  "session.renamed": z.object({ title: Text }),
  "session.pinned": Nothing,
  "session.unpinned": Nothing,
  ...SHARE_EVENTS,
  /** The time at which the session is deleted; null if it has no date of its own. */
  "session.expiry_set": z.object({ expires_at: z.number().nullable() }),
  "session.activated": Nothing,
  "session.suspended": z.object({
    reason: Text,
    checkpoint_id: Text.nullable(),
    /** The time at which the session resumes automatically. */
    until: z.number().optional(),
  }),
  "session.resumed": z.object({ interface: z.enum(INTERFACES) }),
  "session.continued": z.object({ interface: z.enum(INTERFACES) }),
  "session.completed": Finished,
  "session.failed": Finished.extend({ error: Text.nullable() }),
  "session.cancelled": Finished,
  "session.archived": Nothing,
  /** `served_ms` is the total server time so far. The session is purged after servers have run for the trash period. */
  "session.deleted": z.object({
    reason: Text,
    purge_at: z.number(),
    served_ms: z.number().optional(),
  }),
  /** `quiet` keeps the time of last activity. Events of earlier versions changed it. */
  "session.undeleted": z.object({ quiet: z.literal(true).optional() }),
  "phase.changed": z.object({ from: z.enum(PHASES), to: z.enum(PHASES) }),
  "error.recorded": z.object({ error: Text }),
  "message.queued": z.object({
    turn_id: Text,
    content: Text,
    /** Set by recovery: the turn of the user's message that continues here, and the number of the attempt. */
    continues: z.object({ turn_id: Text, nth: z.number().int() }).optional(),
  }),
  "turn.started": z.object({ turn_id: Text, content: Text.nullable() }),
  "turn.part": z.object({
    turn_id: Text,
    item: z.number().int(),
    kind: z.enum(PART_KINDS),
    offset: z.number().int(),
    text: Text,
  }),
  "turn.ended": z.object({
    turn_id: Text,
    outcome: z.enum(TURN_OUTCOMES),
    error: Text.nullable(),
    usage: Usage.nullable(),
  }),
  /** A complete turn of an agent that runs elsewhere. */
  "turn.recorded": z.object({
    turn_id: Text,
    input: Text,
    output: Text,
    usage: Usage.nullable(),
  }),
  "interrupt.requested": Nothing,
  /** A process of the agent runs now and has opened a session of the agent's own. */
  "agent.started": z.object({
    agent_session_id: Text,
    way: z.enum(OPEN_WAYS),
    process: Process,
    reopens: z.boolean(),
    /** The epoch of the lease under which the agent was started. */
    epoch: z.number().int().optional(),
    /** The place of its own files, if there are several nodes. */
    place: Text.optional(),
  }),
  /** Everything up to here was imported from another tool's file. The next import continues after it. */
  "session.imported": z.object({
    source: Text,
    /** The tool's own id for the conversation. */
    conversation_id: Text,
    /** The number of imported turns, the newest of them, and the number of its items. */
    turns: z.number().int(),
    turn_id: Text.nullable(),
    items: z.number().int(),
    /** The agent session that can reopen this conversation. */
    agent_session_id: Text.nullable(),
  }),
  /** The agent's process or sub-agent ended; the session keeps its status. */
  "agent.stopped": z.object({ reason: Text }),
  "action.started": Intent,
  /** More details about the action than were known when it started. */
  "action.described": z.object({
    action_id: Text,
    details: Json,
    /** Set if the agent now says that the call is of another kind. */
    type: Text.optional(),
    effects: z.enum(EFFECTS).optional(),
  }),
  "action.completed": z.object({
    action_id: Text,
    status: z.enum(ACTION_STATUSES).exclude(["started"]),
    result: Text,
    details: Json,
  }),
  /** The result of recovering a session whose process had died. */
  "session.recovered": z.object({
    status: z.enum(RECOVERY_STATUSES),
    steps: z.array(
      z.object({ action_id: Text, type: Text, title: Text, step: z.enum(RECOVERY_STEPS) }),
    ),
    next_step: Text.nullable(),
  }),
  ...CHECKPOINT_EVENTS,
  "approval.requested": z.object({
    approval_id: Text,
    kind: z.enum(APPROVAL_KINDS),
    title: Text,
    body: Text.nullable(),
    action_id: Text.nullable(),
    /** True if a process waits for the answer, so the question ends with that process. */
    awaited: z.boolean(),
    expires_at: z.number().nullable(),
    /** The answers that the asking process accepts: their kinds, the options, and how many were too many to store. */
    options: z.array(z.enum(PERMISSION_KINDS)).optional(),
    choices: z.array(ApprovalChoice).optional(),
    missing_choices: z.number().int().optional(),
    /** For a recovery: the rollback, and a digest of the facts. For a merge: the range that it brings. */
    rollback: z.array(RollbackStep).optional(),
    basis: Text.optional(),
  }),
  "approval.decided": z.object({
    approval_id: Text,
    decision: z.enum(DECISIONS),
    note: Text.nullable(),
    /** True if the answer also applies to all similar questions. */
    always: z.boolean().optional(),
    /** The option that the agent gets. */
    choice: ApprovalChoice.optional(),
  }),
  "approval.expired": z.object({ approval_id: Text, reason: Text }),
  "observation.submitted": Observation,
  "outcome.recorded": z.object({ type: Text, id: Text.nullable(), details: Json }),
  "artifact.recorded": z.object({
    artifact_id: Text,
    name: Text,
    uri: Text.nullable(),
    media_type: Text.nullable(),
    details: Json,
  }),
} as const;

export const TASK_EVENTS = {
  "task.created": z.object({
    task_id: Text,
    entity_id: Text,
    owner: Text,
    title: Text,
    source: Text,
    status: Text,
    priority: Text.nullable(),
    est_hours: z.number().nullable(),
    added_at: Text.nullable(),
  }),
  "task.updated": z.object({
    title: Text.optional(),
    status: Text.optional(),
    priority: Text.nullable().optional(),
    est_hours: z.number().nullable().optional(),
  }),
  /** A session of this task changed its status, and so the task did too. */
  "task.followed": z.object({ session_id: Text, status: z.enum(FOLLOWED_STATUSES) }),
} as const;

/** Events of an owner's store rather than of one session. */
const SYSTEM_EVENTS = {
  "session.purged": z.object({ session_id: Text, entity_id: Text, events: z.number().int() }),
  "workspace.initialized": z.object({ cwd: Text, mirrors: z.array(z.enum(MIRRORS)) }),
  /** A workspace's backlog file was read up to `offset`. */
  "recovery.sync": z.object({
    cwd: Text,
    source: Text,
    rows: z.number().int(),
    damaged: z.array(z.number().int()),
    /** Null if a file other than the workspace's own backlog was read. */
    offset: z.number().int().nullable(),
  }),
  ...ACCESS_EVENTS,
  /** The webhook's secret is stored in a file, never here. */
  "webhook.added": z.object({
    webhook_id: Text,
    url: Text,
    on: z.array(z.enum(WEBHOOK_EVENTS)),
    allow_private: z.boolean(),
    redact: z.boolean().optional(),
    /** The place in the feed where deliveries start. */
    cursor: Text,
  }),
  /** Other services may send messages for an agent under this name. */
  "webhook.accepted": z.object({
    webhook_id: Text,
    name: Text,
    preset: z.enum(WEBHOOK_PRESETS),
    agent_name: Text,
    session_key: Text.nullable(),
    message: Text.nullable(),
    events: z.array(Text),
    cwd: Text.nullable(),
  }),
  /** The name is set if the webhook was an incoming one. */
  "webhook.removed": z.object({ webhook_id: Text, name: Text.optional() }),
  /** A message that came in through a webhook was accepted once. `digest` identifies the message. */
  "webhook.taken": z.object({
    webhook_id: Text,
    name: Text,
    session_id: Text,
    turn_id: Text,
    digest: Text,
  }),
  /** The delivery was acknowledged: everything up to `cursor` is done. */
  "webhook.delivered": Delivery.extend({ cursor: Text }),
  "webhook.failed": Delivery.extend({ why: Text, next_at: z.number() }),
  /** Deliveries stop until a person resumes the webhook. */
  "webhook.parked": z.object({ webhook_id: Text, why: Text }),
  "webhook.resumed": z.object({ webhook_id: Text }),
  /**
   * No event up to `cursor` concerned this webhook. With `continued`, the event of the earlier cursor was gone, because the
   * stored history had changed.
   */
  "webhook.advanced": z.object({
    webhook_id: Text,
    cursor: Text,
    continued: z.enum(WEBHOOK_RESTARTS).optional(),
  }),
  /** Recorded once. From then on, the lease of this log names the running server or, for a chore, the server that does it. */
  "server.registered": z.object({ chore: Text.optional() }),
  "server.started": z.object({ url: Text, pid: z.number().int() }),
  "server.stopped": z.object({ url: Text }),
  /** Someone accepted the logs as they were although the anchor was lost. `streams` counts the logs. */
  "anchor.accepted": z.object({ streams: z.number() }),
  /** The total time that servers of this store have run, measured by the monotonic clock; `uptime_ms` is its value. */
  "server.ran": z.object({
    boot_id: Text.nullable(),
    uptime_ms: z.number(),
    total_ms: z.number(),
  }),
  /** Sessions are deleted this many days after their last activity: one owner's or everyone's. Null: off. */
  "expiration.set": z.object({ after_days: z.number().int().nullable(), everyone: z.boolean() }),
  /** Recorded once for the whole store. From then on, the daily removal checks every session. */
  "expiration.used": z.object({}),
  /** The daily removal of old sessions ran. `waits` lists sessions that became due in this run. */
  "retention.ran": z.object({
    removed: z.array(Text),
    purged: z.array(Text),
    waits: z.boolean(),
    served_ms: z.number().optional(),
  }),
} as const;

type Bodies<T extends Record<string, z.ZodType>> = {
  [K in keyof T]: { readonly type: K; readonly data: z.infer<T[K]> };
}[keyof T];

/** An event as a decision returns it, before it has a place in a log. */
export type SessionFact = Bodies<typeof SESSION_EVENTS>;
export type TaskFact = Bodies<typeof TASK_EVENTS>;
export type SystemFact = Bodies<typeof SYSTEM_EVENTS>;

/** The place of an event, and its cause. Times are milliseconds; the interfaces write them as ISO 8601. */
export interface EventMeta {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
}
export type SessionEvent = SessionFact & EventMeta;
export type TaskEvent = TaskFact & EventMeta;
export type SystemEvent = SystemFact & EventMeta;
