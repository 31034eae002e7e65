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
  WebhookRestart,
} from "./vocabulary.ts";

/** A value in the head, or the event that holds it. */
export type Held = { readonly value: unknown } | { readonly seq: number };

interface PhaseChange {
  readonly from_phase: Phase;
  readonly to_phase: Phase;
  readonly at: number;
}

/**
 * An open item: its own id, and the seq of the event that opened it (also its place in the index).
 */
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

/** The agent's state as its driver left it or runs it. */
export interface AgentHead {
  /**
   * The agent's own session, which it may be able to reopen; null once the two histories differ.
   */
  readonly session_id: string | null;
  readonly made_at: number;
  readonly reopens: boolean;
  /** The event that recorded the start of its process; null once it has stopped. */
  readonly running: number | null;
  /** True if the agent was shut down cleanly, so its memory matches its recorded answers. */
  readonly clean: boolean;
  /** The epoch of the lease under which it was started. Agents of older versions have none. */
  readonly epoch?: number;
  /** The place of its own files, if there are several nodes. */
  readonly place?: string;
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
  /** The times (ISO 8601, as given) and the duration that an outside agent submitted. */
  readonly observation: {
    readonly started_at: string | null;
    readonly ended_at: string | null;
    readonly duration: number | null;
  } | null;
  /** The end of the last finished run. */
  readonly ended: { at: number; duration_ms: number; summary: string | null } | null;
  readonly pinned: boolean;
  readonly deleted: { at: number; purge_at: number; served_ms?: number } | null;
  /** The time of the last restore from the trash. Retention counts from then. */
  readonly undeleted_at?: number;
  /** The time at which the session is deleted, independent of the rules for all sessions. */
  readonly expires_at?: number | undefined;

  readonly metadata: Readonly<Record<string, Held>>;
  /** The place of the row with the metadata keys that do not fit here. */
  readonly metadata_row?: number;
  readonly supports_resume: boolean;
  readonly resume_ready: boolean;
  readonly error_count: number;
  readonly last_error: string | null;
  readonly checkpoint_id: string | null;
  /** The event that restored a checkpoint, until a turn has started from there. */
  readonly restored: number | null;
  readonly agent: AgentHead | null;
  /**
   * The agent has not seen the work of others since this event. `turn` is the turn that tells it,
   * `by` the agent that worked before it.
   */
  readonly missed?: { readonly from: number; readonly turn?: string; readonly by?: string };

  readonly recent_phases: readonly PhaseChange[];
  readonly turn: Open | null;
  /** The outcome of the newest turn; removed when the next one starts or the session is resumed. */
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

/** The state of an owner's store, a workspace, a token, a webhook or a server. */
export interface SystemHead {
  readonly kind: "system";
  readonly entity_id: string;
  readonly owner: string;
  readonly purged: number;
  readonly mirrors: readonly Mirror[];
  /** How far the workspace's backlog file was read. */
  readonly backlog: { readonly source: string; readonly offset: number } | null;
  readonly token?: TokenState;
  readonly person?: PersonState;
  readonly link?: LinkState;
  readonly webhook?: WebhookState;
  readonly accepts?: AcceptedWebhookState;
  /** The time of the last retention run, and the total server time then. */
  readonly retention?: {
    readonly at: number;
    readonly waits: boolean;
    readonly served_ms?: number;
  };
  /**
   * The rule of an owner or, in the server's own log, of everyone. `used` is set if any session or
   * owner has an expiry.
   */
  readonly expiration?: { readonly after_days: number | null; readonly used?: true };
  /** The total time that servers of this store have run, and the clock at the last count. */
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
  /** The time of the last use, to the hour. The idle time counts from then. */
  readonly renewed_at?: number;
  /** True for the login of a browser. */
  readonly browser?: true;
}

/** A link with which everyone can read a session, up to an event. */
export interface LinkState {
  readonly id: string;
  readonly entity_id: string;
  readonly digest: string;
  readonly seq: number;
  readonly until: number;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly opened: number;
  readonly opened_at: number | null;
}

export interface PersonState {
  readonly name: string;
  readonly display_name: string;
  readonly role: ServerRole;
  /** External accounts with which this person logs in, each `ISSUER#SUBJECT`. */
  readonly identities: readonly string[];
  readonly created_at: number;
  readonly disabled_at: number | null;
  /** The time at which this person was last disabled. Tokens from before never work again. */
  readonly locked_at: number | null;
}

/** A webhook that notifies another service about events here. */
export interface WebhookState {
  readonly id: string;
  readonly url: string;
  readonly on: readonly WebhookEvent[];
  readonly allow_private: boolean;
  readonly redact?: boolean | undefined;
  readonly created_at: number;
  /** Everything before this place in the feed was acknowledged, or did not concern the webhook. */
  readonly cursor: string;
  readonly delivered: number;
  readonly delivered_at: number | null;
  /** The first event that was not acknowledged. All later ones wait for it. */
  readonly failing: FailingDelivery | null;
  readonly parked: { readonly at: number; readonly why: string } | null;
  /** When the event of its cursor was gone, because the stored history had changed, and where it continued. */
  readonly history_changed?: { readonly at: number; readonly continued: WebhookRestart };
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

/** A webhook through which another service sends messages to an agent here. */
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
