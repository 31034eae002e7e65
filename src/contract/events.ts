import { z } from "zod";
import { ACCESS_EVENTS, Delivery, SHARE_EVENTS } from "./access-events.ts";
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

export const Process = z.object({
  pid: z.number().int().positive(),
  start_time: z.number().nullable(),
  boot_id: Text.nullable(),
  node: Text.nullable().optional(),
  cmd: Text.nullable(),
  stdout_path: Text.nullable(),
  stderr_path: Text.nullable(),
});
export type Process = z.infer<typeof Process>;

export const RollbackStep = z.object({ title: Text, command: Text });
export type RollbackStep = z.infer<typeof RollbackStep>;

/** What an action is, recorded before it runs. */
export const Intent = z.object({
  action_id: Text,
  turn_id: Text.nullable(),
  type: Text,
  effects: z.enum(EFFECTS),
  idempotent: z.boolean(),
  idempotency_key: Text.nullable(),
  detachable: z.boolean(),
  orphanable: z.boolean(),
  rollback: z.array(RollbackStep),
  /** Files that it makes only while it runs. Recovery removes them before it is repeated. */
  temporary: z.array(Text).optional(),
  process: Process.nullable(),
  /** Its process, its rollback and its temporary files come from someone who may run programs here. Older events do not say. */
  vouched: z.boolean().optional(),
  details: Json,
});
export type Intent = z.infer<typeof Intent>;

const Finished = z.object({
  summary: Text.nullable(),
  duration_ms: z.number().nonnegative(),
});
const Nothing = z.object({});
/** Metadata keys that stand in the session's row from here on, not in its head. */
const Beside = z.array(Text).optional();

/** What an agent knew when it last worked on a session. */
export const AgentMemory = z.object({
  session_id: Text,
  made_at: z.number(),
  reopens: z.boolean(),
  clean: z.boolean(),
  left: z.number().int(),
});
export type AgentMemory = z.infer<typeof AgentMemory>;

/** The body of each kind of event. A new kind is a line here, one in `evolve` and one in `index`. */
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
    /** The token with scope `record` that created it, and the only such token that reaches it. */
    recorder: Text.optional(),
    expires_at: z.number().optional(),
    /** Known only from what its agent submits about itself. */
    observed: z.boolean(),
  }),
  "session.forked": z.object({
    session_id: Text,
    entity_id: Text,
    owner: Text,
    interface: z.enum(INTERFACES),
    title: Text.nullable(),
    parent: z.object({ session_id: Text, entity_id: Text, seq: z.number().int() }),
    /** Where another agent works on the fork. */
    agent_name: Text.optional(),
  }),
  /** Work of a fork, or of another session of the same lineage, was brought here. */
  "session.merged": MergedWork.extend({ beside: Beside }),
  /** Another agent works on it from here. `agent` is what that one knew when it last worked here, `left` up to which event. */
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
  /** When it is to be deleted; null: not by a date of its own. */
  "session.expiry_set": z.object({ expires_at: z.number().nullable() }),
  "session.activated": Nothing,
  "session.suspended": z.object({
    reason: Text,
    checkpoint_id: Text.nullable(),
    /** When it is to be resumed by itself. */
    until: z.number().optional(),
  }),
  "session.resumed": z.object({ interface: z.enum(INTERFACES) }),
  "session.continued": z.object({ interface: z.enum(INTERFACES) }),
  "session.completed": Finished,
  "session.failed": Finished.extend({ error: Text.nullable() }),
  "session.cancelled": Finished,
  "session.archived": Nothing,
  /** `served_ms` is how long servers had run by then: it is purged when they have run for as long as the trash keeps it. */
  "session.deleted": z.object({
    reason: Text,
    purge_at: z.number(),
    served_ms: z.number().optional(),
  }),
  /** `quiet` leaves the time of last activity. Events of earlier versions moved it. */
  "session.undeleted": z.object({ quiet: z.literal(true).optional() }),
  "phase.changed": z.object({ from: z.enum(PHASES), to: z.enum(PHASES) }),
  "error.recorded": z.object({ error: Text }),
  "message.queued": z.object({
    turn_id: Text,
    content: Text,
    /** Set by recovery: the turn of the user's message that goes on here, and for the how manyeth time. */
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
  /** A whole turn of an agent that lives elsewhere. */
  "turn.recorded": z.object({
    turn_id: Text,
    input: Text,
    output: Text,
    usage: Usage.nullable(),
  }),
  "interrupt.requested": Nothing,
  /** A process of its agent runs now, and has opened a session of the agent's own. */
  "agent.started": z.object({
    agent_session_id: Text,
    way: z.enum(OPEN_WAYS),
    process: Process,
    reopens: z.boolean(),
    /** Of the lease under which it was started. */
    epoch: z.number().int().optional(),
  }),
  /** Everything up to here was taken over from another tool's file; the next import starts behind it. */
  "session.imported": z.object({
    source: Text,
    /** The tool's own id of the conversation. */
    conversation_id: Text,
    /** How many of its turns are here, the newest of them, and how many of that turn's items. */
    turns: z.number().int(),
    turn_id: Text.nullable(),
    items: z.number().int(),
    /** The session of the agent that can open this conversation again. */
    agent_session_id: Text.nullable(),
  }),
  /** Its process or sub-agent is gone; the session stays as it is. */
  "agent.stopped": z.object({ reason: Text }),
  "action.started": Intent,
  /** What it is turned out to be more than was known when it began. */
  "action.described": z.object({ action_id: Text, details: Json }),
  "action.completed": z.object({
    action_id: Text,
    status: z.enum(ACTION_STATUSES).exclude(["started"]),
    result: Text,
    details: Json,
  }),
  /** What became of a session whose process had died. */
  "session.recovered": z.object({
    status: z.enum(RECOVERY_STATUSES),
    steps: z.array(
      z.object({ action_id: Text, type: Text, title: Text, step: z.enum(RECOVERY_STEPS) }),
    ),
    next_step: Text.nullable(),
  }),
  "checkpoint.saved": z.object({
    checkpoint_id: Text,
    name: Text,
    state: Json,
    /** Where the state is too long for an event: it stands beside the log, and these are the entities in it. */
    state_file: z.object({ digest: Text, size: z.number() }).optional(),
    entities: z.array(Text).optional(),
  }),
  "checkpoint.restored": z.object({ checkpoint_id: Text, name: Text }),
  "approval.requested": z.object({
    approval_id: Text,
    kind: z.enum(APPROVAL_KINDS),
    title: Text,
    body: Text.nullable(),
    action_id: Text.nullable(),
    /** A process holds its breath for the answer, so the question lives and dies with that process. */
    awaited: z.boolean(),
    expires_at: z.number().nullable(),
    /** What the one who asks will take for an answer. */
    options: z.array(z.enum(PERMISSION_KINDS)).optional(),
    /** Of a recovery: what would be undone, and a digest of what the question rests on. Of a merge: the range that it brings. */
    rollback: z.array(RollbackStep).optional(),
    basis: Text.optional(),
  }),
  "approval.decided": z.object({
    approval_id: Text,
    decision: z.enum(DECISIONS),
    note: Text.nullable(),
    /** The same answer to all that is alike. */
    always: z.boolean().optional(),
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
  /** A session of this task changed its status, and the task with it. */
  "task.followed": z.object({ session_id: Text, status: z.enum(FOLLOWED_STATUSES) }),
} as const;

/** What happens to the store of an owner rather than to one session. */
const SYSTEM_EVENTS = {
  "session.purged": z.object({ session_id: Text, entity_id: Text, events: z.number().int() }),
  "workspace.initialized": z.object({ cwd: Text, mirrors: z.array(z.enum(MIRRORS)) }),
  /** A workspace's backlog file was read up to `offset`. */
  "recovery.sync": z.object({
    cwd: Text,
    source: Text,
    rows: z.number().int(),
    damaged: z.array(z.number().int()),
    /** Null: another file than the workspace's own backlog was read. */
    offset: z.number().int().nullable(),
  }),
  ...ACCESS_EVENTS,
  /** Its secret stands in a file, never here. */
  "webhook.added": z.object({
    webhook_id: Text,
    url: Text,
    on: z.array(z.enum(WEBHOOK_EVENTS)),
    allow_private: z.boolean(),
    redact: z.boolean().optional(),
    /** Where in the feed it begins. */
    cursor: Text,
  }),
  /** Others may send us messages for an agent under this name. */
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
  /** With the name of one that was accepted. */
  "webhook.removed": z.object({ webhook_id: Text, name: Text.optional() }),
  /** What others sent under an accepted name became a message, once. `digest` is of that message. */
  "webhook.taken": z.object({
    webhook_id: Text,
    name: Text,
    session_id: Text,
    turn_id: Text,
    digest: Text,
  }),
  /** Acknowledged: all up to `cursor` is done with. */
  "webhook.delivered": Delivery.extend({ cursor: Text }),
  "webhook.failed": Delivery.extend({ why: Text, next_at: z.number() }),
  /** Nothing is sent any more before a person has seen to it. */
  "webhook.parked": z.object({ webhook_id: Text, why: Text }),
  "webhook.resumed": z.object({ webhook_id: Text }),
  /** Nothing up to `cursor` was for it. */
  "webhook.advanced": z.object({ webhook_id: Text, cursor: Text }),
  /** Once: from then on, the lease of this log says who serves. */
  "server.registered": z.object({}),
  "server.started": z.object({ url: Text, pid: z.number().int() }),
  "server.stopped": z.object({ url: Text }),
  /** Someone accepted the logs as they were although the anchor was lost: how many there were. */
  "anchor.accepted": z.object({ streams: z.number() }),
  /** How long servers of this store have run in all, counted by a clock that nobody can set; `uptime_ms` is that clock. */
  "server.ran": z.object({
    boot_id: Text.nullable(),
    uptime_ms: z.number(),
    total_ms: z.number(),
  }),
  /** Sessions are deleted so many days after their last activity: an owner's, or those of everyone. Null: they are not. */
  "expiration.set": z.object({ after_days: z.number().int().nullable(), everyone: z.boolean() }),
  /** Once, of the whole store: from then on, the daily removal looks at every session. */
  "expiration.used": z.object({}),
  /** The daily removal of old sessions; `waits` when some are due now and were not in the run before. */
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

/** An event as a decision yields it: what happened, before it has a place in a log. */
export type SessionFact = Bodies<typeof SESSION_EVENTS>;
export type TaskFact = Bodies<typeof TASK_EVENTS>;
export type SystemFact = Bodies<typeof SYSTEM_EVENTS>;

/** Where an event stands and who caused it. Times are milliseconds; doors write them as ISO 8601. */
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
