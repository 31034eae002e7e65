import type { Project, Usage } from "./events.ts";
import type {
  ActionStatus,
  ApprovalKind,
  Effects,
  Interface,
  Mirror,
  Phase,
  Scope,
  ServerRole,
  Status,
  TurnOutcome,
  WebhookEvent,
  WebhookPreset,
} from "./vocabulary.ts";

/** A value that stands in the head, or the event that holds it. */
export type Held = { readonly value: unknown } | { readonly seq: number };

interface PhaseChange {
  readonly from_phase: Phase;
  readonly to_phase: Phase;
  readonly at: number;
}

/** An item that is not finished: its own id, and the seq of the event that opened it (also its place in the index). */
export interface Open {
  readonly id: string;
  readonly seq: number;
}
interface OpenAction extends Open {
  readonly effects: Effects;
}
export interface OpenApproval extends Open {
  readonly kind: ApprovalKind;
  readonly awaited: boolean;
  readonly expires_at: number | null;
}

/** The agent as a driver left it or runs it. */
export interface AgentHead {
  /** The agent's own session, which it may be able to open again; null once our past is no longer its past. */
  readonly session_id: string | null;
  readonly made_at: number;
  readonly reopens: boolean;
  /** The event that tells of its process; null once that has stopped. */
  readonly running: number | null;
  /** It was ended in order, so that what it knew is what it had said. */
  readonly clean: boolean;
  /** Of the lease under which it was started. Agents of an older Belay have none. */
  readonly epoch?: number;
}

/** The bounded current state of a session, folded from its events. Times are milliseconds. */
export interface SessionHead {
  readonly kind: "session";
  readonly entity_id: string;
  readonly session_id: string;
  readonly owner: string;
  readonly agent_name: string;
  readonly interface: Interface;
  readonly purpose: string | null;
  readonly title: string | null;
  readonly project: Project | null;
  readonly task_id: string;
  readonly recorder?: string | undefined;
  readonly parent: { session_id: string; entity_id: string; seq: number } | null;
  readonly observed: boolean;

  readonly status: Status;
  readonly suspend_reason: string | null;
  readonly suspended_until: number | null;
  readonly phase: Phase;
  readonly run: number;
  readonly run_started_at: number;
  readonly created_at: number;
  readonly updated_at: number;
  /** What an outside agent said of its own times (ISO 8601, as given) and length. */
  readonly observation: {
    readonly started_at: string | null;
    readonly ended_at: string | null;
    readonly duration: number | null;
  } | null;
  /** How the last finished run ended. */
  readonly ended: { at: number; duration_ms: number; summary: string | null } | null;
  readonly pinned: boolean;
  readonly deleted: { at: number; purge_at: number; served_ms?: number } | null;
  /** When it was last restored from the trash. Retention counts from then. */
  readonly undeleted_at?: number;
  /** When it is to be deleted, whatever else is said of all sessions. */
  readonly expires_at?: number | undefined;

  readonly metadata: Readonly<Record<string, Held>>;
  /** The place of the row that holds the keys for which there is no room here. */
  readonly metadata_row?: number;
  readonly supports_resume: boolean;
  readonly resume_ready: boolean;
  readonly error_count: number;
  readonly last_error: string | null;
  readonly checkpoint_id: string | null;
  /** The event by which someone returned to a checkpoint, until a turn has begun from there. */
  readonly restored: number | null;
  readonly agent: AgentHead | null;
  /**
   * From this event on the agent has not seen what others did here; `turn` is the turn in which it is told, `by` the agent
   * that worked here before it.
   */
  readonly missed?: { readonly from: number; readonly turn?: string; readonly by?: string };

  readonly recent_phases: readonly PhaseChange[];
  readonly turn: Open | null;
  /** How the newest turn ended; absent from when the next one starts, or the session is resumed. */
  readonly last_turn?: TurnOutcome;
  readonly queue: readonly Open[];
  readonly actions: readonly OpenAction[];
  readonly approvals: readonly OpenApproval[];
  readonly last_action: { id: string; status: ActionStatus; effects: Effects } | null;
  readonly interrupt_requested: boolean;

  readonly counts: {
    readonly phases: number;
    readonly turns: number;
    readonly actions: number;
    readonly checkpoints: number;
    readonly approvals: number;
    readonly observations: number;
    readonly resumes: number;
  };
  readonly usage: Usage;
}

/** What an owner's store, one of its workspaces, a token, a webhook or a server remembers beside the sessions. */
export interface SystemHead {
  readonly kind: "system";
  readonly entity_id: string;
  readonly owner: string;
  readonly purged: number;
  readonly mirrors: readonly Mirror[];
  /** How far the workspace's backlog file has been read. */
  readonly backlog: { readonly source: string; readonly offset: number } | null;
  readonly token?: TokenState;
  readonly person?: PersonState;
  readonly webhook?: WebhookState;
  readonly accepts?: AcceptedWebhookState;
  /** When old sessions were last looked for, and how long servers had run by then. */
  readonly retention?: {
    readonly at: number;
    readonly waits: boolean;
    readonly served_ms?: number;
  };
  /** Of an owner or, in the server's own log, of everyone. `used`: some session or owner has an expiry. */
  readonly expiration?: { readonly after_days: number | null; readonly used?: true };
  /** How long servers of this store have run in all, and the clock when that was last counted. */
  readonly served?: ServedTime;
  readonly updated_at: number;
}

export interface ServedTime {
  readonly boot_id: string | null;
  readonly uptime_ms: number;
  readonly total_ms: number;
}

export interface TokenState {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly digest: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly idle_ms?: number;
  readonly expires_at?: number | undefined;
  /** When it was last used, to the hour: its time without use began anew then. */
  readonly renewed_at?: number;
}

export interface PersonState {
  readonly name: string;
  readonly display_name: string;
  readonly role: ServerRole;
  /** Accounts elsewhere by which this person logs in, each `ISSUER#SUBJECT`. */
  readonly identities: readonly string[];
  readonly created_at: number;
  readonly disabled_at: number | null;
  /** When this person was last disabled: tokens from before never work again. */
  readonly locked_at: number | null;
}

/** One that tells others what happens here. */
export interface WebhookState {
  readonly id: string;
  readonly url: string;
  readonly on: readonly WebhookEvent[];
  readonly allow_private: boolean;
  readonly redact?: boolean | undefined;
  readonly created_at: number;
  /** Everything before it in the feed was acknowledged, or was not for it. */
  readonly cursor: string;
  readonly delivered: number;
  readonly delivered_at: number | null;
  /** The first event that was not acknowledged; all others wait behind it. */
  readonly failing: FailingDelivery | null;
  readonly parked: { readonly at: number; readonly why: string } | null;
  readonly removed_at: number | null;
}

interface FailingDelivery {
  readonly event_id: string;
  readonly type: string;
  readonly session_id: string;
  readonly attempts: number;
  readonly why: string;
  readonly since: number;
  readonly next_at: number;
}

/** One by which others send messages to an agent here. */
export interface AcceptedWebhookState {
  readonly id: string;
  readonly name: string;
  readonly preset: WebhookPreset;
  readonly agent_name: string;
  readonly session_key: string | null;
  readonly message: string | null;
  readonly events: readonly string[];
  readonly cwd: string | null;
  readonly created_at: number;
  readonly removed_at: number | null;
}

export interface TaskHead {
  readonly kind: "task";
  readonly entity_id: string;
  readonly task_id: string;
  readonly owner: string;
  readonly title: string;
  readonly source: string;
  readonly status: string;
  readonly priority: string | null;
  readonly est_hours: number | null;
  readonly added_at: string | null;
  readonly session_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}
