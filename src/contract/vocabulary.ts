/**
 * The closed word lists of the model. They use no schema library, because the core and the hooks
 * load only this file of the contract.
 */

/**
 * `purged` is the remainder of a removed stream that its forks still need; `key` is a wrapped key of an encrypted store.
 * Neither is ever shown.
 */
export const STREAM_KINDS = ["session", "task", "system", "purged", "key"] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/** The status tells a user what they can do with a session. */
export const STATUSES = [
  "created",
  "active",
  "suspended",
  "completed",
  "failed",
  "cancelled",
  "archived",
] as const;
export type Status = (typeof STATUSES)[number];

/** Statuses in which a session can still change by itself. */
export const UNFINISHED_STATUSES = [
  "created",
  "active",
  "suspended",
] as const satisfies readonly Status[];

/** The phase tells what the agent is doing. */
export const PHASES = [
  "initializing",
  "investigating",
  "planning",
  "approval",
  "executing",
  "validating",
  "completed",
  "failed",
  "abandoned",
] as const;
export type Phase = (typeof PHASES)[number];

export const FINAL_PHASES = ["completed", "failed", "abandoned"] as const;
export type FinalPhase = (typeof FINAL_PHASES)[number];

export const INTERFACES = [
  "cli",
  "api",
  "graphql",
  "webhook",
  "mcp",
  "hook",
  "library",
  "web",
] as const;
export type Interface = (typeof INTERFACES)[number];

/**
 * The scopes of tokens; each includes the operations of those before it. `read` reads everything of
 * its owner. `record` is for agents and hooks: it records and asks in sessions that it created, and
 * sees no others. `write` decides and starts agents, so it amounts to a shell. `admin` also names
 * programs and files, and lets others in.
 */
export const SCOPES = ["read", "record", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The role of a person on a server. An admin adds and disables people. A member has sessions of
 * their own, and none of their tokens has scope `admin`.
 */
export const SERVER_ROLES = ["member", "admin"] as const;
export type ServerRole = (typeof SERVER_ROLES)[number];

/** The role of another person in a shared session; each includes those before it. */
export const SESSION_ROLES = ["viewer", "approver", "editor"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** The events that a webhook can send, by their names in the log. */
export const WEBHOOK_EVENTS = [
  "approval.requested",
  "session.suspended",
  "session.completed",
  "session.failed",
  "session.recovered",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Where a webhook continued after the stored history had changed. */
export const WEBHOOK_RESTARTS = ["after_delivery", "after_creation", "at_end"] as const;
export type WebhookRestart = (typeof WEBHOOK_RESTARTS)[number];

/** The signature of incoming webhooks: GitHub's, or that of Standard Webhooks. */
export const WEBHOOK_PRESETS = ["github", "json"] as const;
export type WebhookPreset = (typeof WEBHOOK_PRESETS)[number];

/** The reasons that Belay itself gives. Others may give a text of their own. */
export const SUSPEND_REASONS = [
  "user_requested",
  "api_requested",
  "approval",
  "shutdown",
  "pipeline_suspended",
] as const;
export type SuspendReason = (typeof SUSPEND_REASONS)[number];

/** The effects that an action may have. The default is `unknown`, which is treated as `remote`. */
export const EFFECTS = ["none", "local", "remote", "unknown"] as const;
export type Effects = (typeof EFFECTS)[number];

export const ACTION_STATUSES = [
  "started",
  "completed",
  "failed",
  "interrupted",
  "dropped",
] as const;
export type ActionStatus = (typeof ACTION_STATUSES)[number];

export const TURN_OUTCOMES = ["completed", "failed", "interrupted", "cancelled"] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/**
 * The way in which a process opened the agent's session: new, resumed, loaded, or new with the past
 * replayed.
 */
export const OPEN_WAYS = ["new", "resume", "load", "replay"] as const;
export type OpenWay = (typeof OPEN_WAYS)[number];

export const PART_KINDS = ["message", "thought", "plan", "note"] as const;
export type PartKind = (typeof PART_KINDS)[number];

/**
 * `permission` comes from a running agent, `question` from anyone, `recovery` after a crash,
 * `merge` if both sides of a merge changed the same value.
 */
export const APPROVAL_KINDS = ["permission", "question", "recovery", "merge"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** The kinds of items on a timeline. */
export const SPAN_KINDS = [
  "phase",
  "turn",
  "action",
  "approval",
  "checkpoint",
  /** One process of the agent, from its start to its end. */
  "life",
  "recovery",
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/**
 * The result of a recovery: nothing to decide, a person was asked, or a person chose to roll back.
 */
export const RECOVERY_STATUSES = ["ok", "manual-review", "required-rollback"] as const;
export type RecoveryStatus = (typeof RECOVERY_STATUSES)[number];

/** The answers to a recovery question. */
export const RECOVERY_ANSWERS = ["continue", "rollback", "abort"] as const;
export type RecoveryAnswer = (typeof RECOVERY_ANSWERS)[number];

/** The safe next steps for an action. */
export const RECOVERY_STEPS = [
  /** Continue with the next step. */
  "proceed",
  /** It runs and will end by itself. */
  "wait",
  /** It runs and was meant to outlive its session. */
  "leave",
  /** It runs, and a person must decide. */
  "leave_and_ask",
  /** It can be repeated. */
  "rerun",
  /** It can be sent again with the same key. */
  "rerun_with_key",
  /** It may have happened: a person decides. */
  "ask",
  "retry",
  /** A person looks at the reason for the failure. */
  "review",
] as const;
export type RecoveryStep = (typeof RECOVERY_STEPS)[number];

/** The choices that an agent can offer when it asks for permission. */
export const PERMISSION_KINDS = [
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** The same, and `other` for a kind that Belay does not know: it neither approves nor rejects. */
export const CHOICE_KINDS = [...PERMISSION_KINDS, "other"] as const;
export type ChoiceKind = (typeof CHOICE_KINDS)[number];

/** The side whose value is used if both sides of a merge changed it. */
export const MERGE_SIDES = ["ours", "theirs"] as const;
export type MergeSide = (typeof MERGE_SIDES)[number];

export const DECISIONS = ["approved", "rejected"] as const;
export type ApprovalDecision = (typeof DECISIONS)[number];

/** The statuses that a task gets automatically. A backlog may use words of its own. */
export const FOLLOWED_STATUSES = ["running", "suspended", "completed", "failed"] as const;
export type FollowedStatus = (typeof FOLLOWED_STATUSES)[number];

/**
 * The events that an acknowledged change survives. `power`: everything, including a power cut.
 * `process`: every death of a process; a power cut can lose the last moments.
 */
export const DURABILITIES = ["power", "process"] as const;
export type Durability = (typeof DURABILITIES)[number];

/** Files for other tools, which Belay keeps up to date in workspaces that have them. */
export const MIRRORS = ["claude", "copilot"] as const;
export type Mirror = (typeof MIRRORS)[number];

/** Tools whose conversations can be imported. */
export const IMPORT_TOOLS = [
  "claude-code",
  "codex",
  "gemini",
  "qwen",
  "opencode",
  "copilot",
  "cursor",
  "chatgpt",
  "claude-ai",
  "atif",
] as const;
export type ImportTool = (typeof IMPORT_TOOLS)[number];

/** The activity of a session, as lists and badges show it. */
export const ACTIVITIES = [
  "working",
  "idle",
  "needs_you",
  "failed",
  "interrupted",
  "suspended",
  "done",
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** The four statuses of a session list, and the five states of the agent-session API. */
export const DISPLAY_STATUSES = ["active", "suspended", "archived", "error"] as const;
export type DisplayStatus = (typeof DISPLAY_STATUSES)[number];
export const STATES = ["created", "active", "suspended", "completed", "failed"] as const;
export type State = (typeof STATES)[number];

/** The paths of the files in a folder that hold a tool's conversations. */
export const IMPORT_FILES: Readonly<Record<ImportTool, RegExp>> = {
  "claude-code": /\.jsonl$/,
  codex: /(?:^|\/)rollout-[^/]*\.jsonl(?:\.zst)?$/,
  gemini: /(?:^|\/)chats\/.*\.jsonl?$/,
  qwen: /(?:^|\/)(?:chats|subagents)\/.*\.jsonl$/,
  opencode: /(?:^|\/)opencode(?:-[\w.-]+)?\.db$|^(?!.*\/storage\/).*\.json$/,
  copilot: /\.jsonl$/,
  cursor:
    /(?:^|\/)chats\/.*\/store\.db$|(?:^|\/)agent-transcripts\/.*\.jsonl$|(?:^|\/)memory\/sessions\/[^/]+\.(?:json|ndjson|jsonl|md)$/,
  chatgpt: /(?:^|\/)conversations(?:-\d+)?\.json$/,
  "claude-ai": /(?:^|\/)conversations\.json$/,
  atif: /\.json$/,
};

/** The kinds of audit entries: a change, a read of a shared session or a link, and a refusal. */
export const AUDIT_KINDS = ["did", "saw", "refused"] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** The reasons why a request without a valid token is refused; "more" stands for all others of an hour. */
export const TOKEN_REFUSALS = [
  "no_token",
  "unknown_token",
  "expired_token",
  "revoked_token",
  "disabled_person",
  "more",
] as const;
export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];
