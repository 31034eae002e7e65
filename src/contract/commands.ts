import type { Intent, Process, RollbackStep } from "./action/intent.ts";
import type { ApprovalChoice } from "./approval/approval-choice.ts";
import type { AskedOptions } from "./approval/asked-options.ts";
import type { CheckpointFiles } from "./branch/checkpoint-files.ts";
import type { MergedWork } from "./branch/merged-work.ts";
import type { AgentMemory, Project, Usage } from "./events.ts";
import type { Observation } from "./observation.ts";
import type {
  ActionStatus,
  ApprovalDecision,
  ApprovalKind,
  Effects,
  FinalPhase,
  FollowedStatus,
  Interface,
  OpenWay,
  PartKind,
  PermissionKind,
  Phase,
  RecoveryStatus,
  RecoveryStep,
  SessionRole,
  TurnOutcome,
} from "./vocabulary.ts";

/** All commands of a session. The caller provides the ids, so that deciding stays pure. */
interface SessionCommands {
  create: {
    session_id: string;
    entity_id: string;
    owner: string;
    agent_name: string;
    interface: Interface;
    purpose: string | null;
    title: string | null;
    project: Project | null;
    task_id: string;
    metadata: Record<string, unknown>;
    supports_resume: boolean;
    observed: boolean;
    expires_at?: number | undefined;
  };
  fork: {
    session_id: string;
    entity_id: string;
    owner: string;
    interface: Interface;
    title: string | null;
    parent: { session_id: string; entity_id: string; seq: number };
    agent_name?: string;
  };
  /** `row` is the metadata row outside the head, if the caller has read it. */
  annotate: { metadata: Record<string, unknown>; row?: Readonly<Record<string, unknown>> };
  /** `row` has the same meaning as for annotate. */
  merge: { work: MergedWork; row?: Readonly<Record<string, unknown>> };
  /** `known` is the index entry of that agent. */
  handoff: { to: string; known: AgentMemory | null };
  set_resume_ready: { resume_ready: boolean };
  record_error: { error: string };
  set_phase: { phase: Phase; summary: string | null };
  suspend: { reason: string; checkpoint_id: string | null; until?: number | undefined };
  resume: { interface: Interface };
  finalize: { outcome: FinalPhase; summary: string | null; error: string | null };
  archive: object;
  rename: { title: string };
  pin: object;
  unpin: object;
  share: { person: string | null; role: SessionRole; until: number | null };
  unshare: { person: string | null };
  set_expiry: { expires_at: number | null };
  delete: { reason: string; purge_at: number; served_ms?: number };
  undelete: object;
  send_message: {
    turn_id: string;
    content: string;
    interface: Interface;
    continues?: { turn_id: string; nth: number };
  };
  interrupt: object;
  note_agent_started: {
    agent_session_id: string;
    way: OpenWay;
    process: Process;
    reopens: boolean;
    place?: string;
  };
  note_imported: {
    source: string;
    conversation_id: string;
    turns: number;
    turn_id: string | null;
    items: number;
    agent_session_id: string | null;
  };
  note_agent_stopped: { reason: string };
  record_turn: { turn_id: string; input: string; output: string; usage: Usage | null };
  save_checkpoint: {
    checkpoint_id: string;
    name: string;
    state: Record<string, unknown>;
    state_file?: { digest: string; size: number };
    entities?: string[];
    files?: CheckpointFiles | undefined;
    files_skipped?: string | undefined;
  };
  restore_checkpoint: { checkpoint_id: string; name: string; undo?: string };
  request_approval: {
    approval_id: string;
    kind: ApprovalKind;
    title: string;
    body: string | null;
    action_id: string | null;
    awaited: boolean;
    expires_at: number | null;
    options?: readonly PermissionKind[] | undefined;
    choices?: readonly ApprovalChoice[] | undefined;
    missing_choices?: number | undefined;
    rollback?: readonly RollbackStep[] | undefined;
    basis?: string | undefined;
  };
  note_recovered: {
    status: RecoveryStatus;
    steps: readonly { action_id: string; type: string; title: string; step: RecoveryStep }[];
    next_step: string | null;
  };
  decide_approval: {
    approval_id: string;
    /** Required unless an option is chosen. */
    decision?: ApprovalDecision | undefined;
    option?: string | undefined;
    note: string | null;
    always?: boolean | undefined;
    /** Read from the event that asked, because the head does not contain it. */
    asked?: AskedOptions | undefined;
    /** The answer is a guest's, who may not choose what only the owner may: always, or what changes the agent's mode. */
    guest?: { readonly switches_mode: boolean } | undefined;
    /** True if the person was shown something else than what is asked. */
    is_outdated?: boolean | undefined;
    /** Set for a question whose answer is more than yes or no: of recovery, or of a merge. */
    of?: "recovery" | "merge" | undefined;
  };
  expire_approval: { approval_id: string; reason: string };
  observe: { observation: Observation };
  record_outcome: { outcome: string; id: string | null; details: Record<string, unknown> };
  record_artifact: {
    artifact_id: string;
    name: string;
    uri: string | null;
    media_type: string | null;
    details: Record<string, unknown>;
  };
  /** If an agent is named, the turn starts only while the session belongs to that agent. */
  start_turn: { turn_id: string; content: string | null; agent?: string };
  append_part: {
    turn_id: string;
    item: number;
    kind: PartKind;
    offset: number;
    text: string;
  };
  end_turn: {
    turn_id: string;
    outcome: TurnOutcome;
    error: string | null;
    usage: Usage | null;
  };
  /** `done` is the place of the completed action with this id, if the caller has found one. */
  begin_action: Omit<Intent, "type"> & { action_type: string; done?: number | undefined };
  describe_action: {
    action_id: string;
    details: Record<string, unknown>;
    action_type?: string | undefined;
    effects?: Effects | undefined;
  };
  complete_action: {
    action_id: string;
    status: Exclude<ActionStatus, "started" | "dropped">;
    result: string;
    details: Record<string, unknown>;
  };
}
export type SessionCommandType = keyof SessionCommands;
export type SessionCommand<K extends SessionCommandType = SessionCommandType> = {
  [P in K]: { readonly type: P } & Readonly<SessionCommands[P]>;
}[K];

/**
 * The side that may send a command. While a driver holds the session's lease, `driver` commands
 * need its epoch; without a driver, the agent runs elsewhere and sends them itself. `outside`
 * commands never need a lease.
 */
export const COMMAND_SIDE = {
  create: "outside",
  fork: "outside",
  annotate: "outside",
  merge: "outside",
  handoff: "outside",
  set_resume_ready: "outside",
  record_error: "outside",
  set_phase: "outside",
  suspend: "outside",
  resume: "outside",
  finalize: "outside",
  archive: "outside",
  rename: "outside",
  pin: "outside",
  unpin: "outside",
  share: "outside",
  unshare: "outside",
  set_expiry: "outside",
  delete: "outside",
  undelete: "outside",
  send_message: "outside",
  interrupt: "outside",
  note_agent_started: "driver",
  note_imported: "outside",
  note_agent_stopped: "outside",
  record_turn: "driver",
  save_checkpoint: "outside",
  restore_checkpoint: "outside",
  request_approval: "outside",
  decide_approval: "outside",
  expire_approval: "outside",
  note_recovered: "driver",
  observe: "outside",
  record_outcome: "outside",
  record_artifact: "outside",
  start_turn: "driver",
  append_part: "driver",
  end_turn: "driver",
  begin_action: "driver",
  describe_action: "driver",
  complete_action: "driver",
} as const satisfies Record<SessionCommandType, "outside" | "driver">;

interface TaskCommands {
  create_task: {
    task_id: string;
    entity_id: string;
    owner: string;
    title: string;
    source: string;
    status: string;
    priority: string | null;
    est_hours: number | null;
    added_at: string | null;
  };
  update_task: {
    title?: string;
    status?: string;
    priority?: string | null;
    est_hours?: number | null;
  };
  follow_session: { session_id: string; status: FollowedStatus };
}
export type TaskCommand = {
  [K in keyof TaskCommands]: { readonly type: K } & Readonly<TaskCommands[K]>;
}[keyof TaskCommands];
