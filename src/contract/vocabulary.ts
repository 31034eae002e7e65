/** The closed word lists of the model. No schema library here: the core and the hook path load this file and nothing else of the contract. */

/** `purged` is what forks still need of a stream that is gone; nobody is shown it. */
export const STREAM_KINDS = ["session", "task", "system", "purged"] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/** What a user can do with a session. */
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

/** Those in which there is still something to come by itself. */
export const UNFINISHED_STATUSES = [
  "created",
  "active",
  "suspended",
] as const satisfies readonly Status[];

/** What the agent is doing. */
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
 * What a token allows: each of them includes the operations of those before it. `read` reads all that its owner has.
 * `record` is for agents and hooks: it records and asks in sessions that it created, and sees no others. `write` decides
 * and starts agents, so it amounts to a shell. `admin` also names programs and files, and lets others in.
 */
export const SCOPES = ["read", "record", "write", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * What a person may do on a server. An admin adds and disables people. A member has sessions of their own, and no token
 * of theirs has scope `admin`.
 */
export const SERVER_ROLES = ["member", "admin"] as const;
export type ServerRole = (typeof SERVER_ROLES)[number];

/** What someone else may do in a session that was shared; each of them includes those before it. */
export const SESSION_ROLES = ["viewer", "approver", "editor"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** What a webhook can tell others of; each is the event of the log that has this name. */
export const WEBHOOK_EVENTS = [
  "approval.requested",
  "session.suspended",
  "session.completed",
  "session.failed",
  "session.recovered",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** How those sign what they send to us: as GitHub does, or as Standard Webhooks says. */
export const WEBHOOK_PRESETS = ["github", "json"] as const;
export type WebhookPreset = (typeof WEBHOOK_PRESETS)[number];

/** The reasons that Belay itself gives; anyone else may give a text of their own. */
export const SUSPEND_REASONS = [
  "user_requested",
  "api_requested",
  "approval",
  "shutdown",
  "pipeline_suspended",
] as const;
export type SuspendReason = (typeof SUSPEND_REASONS)[number];

/** What an action may change. An unstated effect is `unknown`, and `unknown` is treated as `remote`. */
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

/** How a process came by the agent's own session: made anew, taken up again, or told of the past in a new one. */
export const OPEN_WAYS = ["new", "resume", "load", "replay"] as const;
export type OpenWay = (typeof OPEN_WAYS)[number];

export const PART_KINDS = ["message", "thought", "plan", "note"] as const;
export type PartKind = (typeof PART_KINDS)[number];

/**
 * `permission` is asked by a running agent, `question` by anyone, `recovery` after a crash, `merge` where both sides of a
 * merge changed the same thing.
 */
export const APPROVAL_KINDS = ["permission", "question", "recovery", "merge"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** What a session's past is drawn of: what takes its time, and what happens at a moment. */
export const SPAN_KINDS = [
  "phase",
  "turn",
  "action",
  "approval",
  "checkpoint",
  /** From the start of a process of its agent to its end. */
  "life",
  "recovery",
] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

/** How a recovery ended: nothing to decide, a person was asked, or a person chose to roll back. */
export const RECOVERY_STATUSES = ["ok", "manual-review", "required-rollback"] as const;
export type RecoveryStatus = (typeof RECOVERY_STATUSES)[number];

/** What a person can say to what recovery asks. */
export const RECOVERY_ANSWERS = ["continue", "rollback", "abort"] as const;
export type RecoveryAnswer = (typeof RECOVERY_ANSWERS)[number];

/** What may safely happen next with one action. */
export const RECOVERY_STEPS = [
  /** Go on with what comes next. */
  "proceed",
  /** It runs and will end by itself. */
  "wait",
  /** It runs and was meant to outlive its session. */
  "leave",
  /** It runs, and only a person can tell what that means. */
  "leave_and_ask",
  /** It may be done again. */
  "rerun",
  /** It may be sent again under the key that it had. */
  "rerun_with_key",
  /** It may have happened: a person decides. */
  "ask",
  "retry",
  /** A person looks at why it failed. */
  "review",
] as const;
export type RecoveryStep = (typeof RECOVERY_STEPS)[number];

/** What a person can be offered where an agent asks for permission. */
export const PERMISSION_KINDS = [
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
] as const;
export type PermissionKind = (typeof PERMISSION_KINDS)[number];

/** Whose value stands where both sides of a merge changed the same thing. */
export const MERGE_SIDES = ["ours", "theirs"] as const;
export type MergeSide = (typeof MERGE_SIDES)[number];

export const DECISIONS = ["approved", "rejected"] as const;
export type ApprovalDecision = (typeof DECISIONS)[number];

/** What a task becomes by itself. A backlog may use words of its own. */
export const FOLLOWED_STATUSES = ["running", "suspended", "completed", "failed"] as const;
export type FollowedStatus = (typeof FOLLOWED_STATUSES)[number];

/**
 * What an acknowledged change survives. `power`: everything, a power cut included. `process`: every death of a process;
 * a power cut can lose the last moments.
 */
export const DURABILITIES = ["power", "process"] as const;
export type Durability = (typeof DURABILITIES)[number];

/** Files that other tools read, kept beside the database where a workspace asked for them. */
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

/** What a session is doing, as lists and badges show it. */
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

/** The four that a session list shows, and the five of the agent-session API. */
export const DISPLAY_STATUSES = ["active", "suspended", "archived", "error"] as const;
export type DisplayStatus = (typeof DISPLAY_STATUSES)[number];
export const STATES = ["created", "active", "suspended", "completed", "failed"] as const;
export type State = (typeof STATES)[number];

/** Which files of a folder hold a tool's conversations, by their paths. */
export const IMPORT_FILES: Readonly<Record<ImportTool, RegExp>> = {
  "claude-code": /\.jsonl$/,
  codex: /(?:^|\/)rollout-[^/]*\.jsonl(?:\.zst)?$/,
  gemini: /(?:^|\/)chats\/.*\.jsonl?$/,
  qwen: /(?:^|\/)(?:chats|subagents)\/.*\.jsonl$/,
  opencode: /(?:^|\/)opencode(?:-[\w.-]+)?\.db$|^(?!.*\/storage\/).*\.json$/,
  copilot: /\.jsonl$/,
  cursor:
    /(?:^|\/)agent-transcripts\/.*\.jsonl$|(?:^|\/)memory\/sessions\/[^/]+\.(?:json|ndjson|jsonl|md)$/,
  chatgpt: /(?:^|\/)conversations(?:-\d+)?\.json$/,
  "claude-ai": /(?:^|\/)conversations\.json$/,
  atif: /\.json$/,
};
