import type { Process } from "../contract/action/intent.ts";
import type { ApprovalChoice } from "../contract/approval/approval-choice.ts";

/**
 * The port between Belay and agents: a process that opens a session of its own, answers prompts in it, and may be
 * killed at any moment. An adapter knows nothing about Belay's sessions; it gets a launch and a listener.
 */
export interface AgentStarter {
  /**
   * Starts the process in a clean environment and initializes it within a time limit. Rejects with `AgentFailure`, and
   * then no process is left. The signal cancels it.
   */
  start(
    launch: AgentLaunch,
    listener: AgentListener,
    signal?: AbortSignal,
  ): Promise<AgentConnection>;
}

/** The parameters for starting an agent. */
export interface AgentLaunch {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the process; it inherits nothing else. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Set in the environment of every process that it starts, to find those that a dead driver left behind. */
  readonly marker: string;
  /** Set again each time the agent's session is opened, because most agents forget it. */
  readonly mode: string | null;
  readonly mcp_servers: readonly McpServer[];
  readonly quirks: AgentQuirks;
  readonly limits: AgentLimits;
  /** The agent must not run after this time, even if this process hangs. Without it, there is no limit. */
  readonly deadline?: Deadline | undefined;
  /** It runs in a sandbox that shows one folder of the machine, further paths for reading, and the system's programs. */
  readonly sandbox?: { readonly folder: string; readonly reads: readonly string[] } | undefined;
}

/** A time in milliseconds of the machine's uptime. It is extended as long as the lease is renewed. */
export interface Deadline {
  readonly at: number;
  onMoved(listener: (at: number) => void): () => void;
}

export type McpServer =
  | {
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** The differences of one agent from the others. */
export interface AgentQuirks {
  /** Its session cannot be reopened in the clock minute in which it was created. */
  readonly reopen_in_next_minute: boolean;
  /** `end_turn` without any text means that its model failed. */
  readonly silent_end_is_failure: boolean;
  /** It prints this text and `end_turn`, without usage, if its model fails. */
  readonly failure_text: RegExp | null;
  /** The reported usage is the total of all turns since its process was started. */
  readonly usage_is_total: boolean;
  /** It reports the usage of each model call in `_meta` of an update, and none at the end of the turn. */
  readonly usage_in_updates: boolean;
  /** Updates of a replay may come after the answer to `load`: how long to wait for the last of them. */
  readonly replay_settles_ms: number;
}

/** Milliseconds. */
export interface AgentLimits {
  readonly initialize: number;
  /** For new, resume and load each. */
  readonly open: number;
  /** From closing stdin to SIGTERM, and from there to SIGKILL. */
  readonly end: number;
}

export interface AgentConnection {
  readonly process: Process;
  /** The marker of the launch. */
  readonly marker: string;
  /** The ways in which it can reopen an earlier session of its own. */
  readonly reopens: { readonly resume: boolean; readonly load: boolean };
  /** Resolves once, when the process has ended for any reason. */
  readonly exited: Promise<AgentExit>;

  /** Opens a session of the agent's own, with mode and MCP servers applied. Rejects with `AgentFailure`. */
  open(way: OpenWay): Promise<OpenedSession>;
  /**
   * Resolves when the agent reports the end, after the listener has handled every earlier update. Rejects with
   * `AgentFailure` if it answers with an error or is gone.
   */
  prompt(text: string): Promise<PromptEnd>;
  /** Asks it to stop the running prompt. Open permission requests are answered as cancelled. */
  cancel(): Promise<void>;
  /**
   * Ends it and every process it has started, first with SIGTERM. Resolves when no process is left; safe to call twice.
   */
  end(): Promise<void>;
  /** The last frames in both directions and its stderr, limited in size, for diagnosis. */
  transcript(): readonly string[];
}

export type OpenWay =
  | { readonly way: "new" }
  | {
      readonly way: "resume" | "load";
      readonly agent_session_id: string;
      readonly made_at: number;
    };

export interface OpenedSession {
  readonly agent_session_id: string;
  /** Earlier prompts that a `load` replayed, oldest first; they never reach the listener. */
  readonly replayed: readonly string[];
}

/** Receives the agent's work in order, without replayed history. */
export interface AgentListener {
  /** While a returned promise is pending, nothing more is read from the agent. */
  update(update: AgentUpdate): void | Promise<void>;
  /** Explains why there will be no output for a while. */
  notice?(text: string): void;
  /** The agent waits for the answer. The signal means that it has stopped waiting. */
  permission(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer>;
}

export type AgentUpdate =
  | { readonly kind: "message" | "thought"; readonly text: string }
  | { readonly kind: "plan"; readonly entries: readonly PlanEntry[] }
  | { readonly kind: "tool"; readonly call: ToolCall }
  | { readonly kind: "usage"; readonly cost_usd: number | null; readonly context_tokens: number }
  | { readonly kind: "mode"; readonly mode: string }
  | { readonly kind: "title"; readonly title: string }
  /** An update of an unknown kind, with a short excerpt. */
  | { readonly kind: "other"; readonly name: string; readonly excerpt: string };

export interface PlanEntry {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** The current state of a tool call: fields that an update omits come from earlier ones. */
export interface ToolCall {
  readonly tool_call_id: string;
  readonly title: string;
  /** The protocol's kind of the tool: read, edit, delete, move, search, execute, think, fetch, other … */
  readonly tool_kind: string;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  /** Limited in size; an excerpt is marked. */
  readonly input: unknown;
  readonly output: string | null;
  /** The complete output, if `output` is an excerpt. */
  readonly whole_output?: string;
  readonly paths: readonly string[];
  readonly diffs: readonly {
    readonly path: string;
    readonly before: string | null;
    readonly after: string;
  }[];
}

export interface PermissionRequest {
  readonly call: ToolCall;
  /** In the agent's words and order. The ids are unique and visible; the adapter knows which of the agent's they mean. */
  readonly options: readonly ApprovalChoice[];
  /** The number of options that were left out because there are too many. */
  readonly missing: number;
}
/** The option that the agent gets; null means "cancelled". */
export type PermissionAnswer = { readonly option_id: string } | null;

export interface PromptEnd {
  readonly stop: "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
  } | null;
}

export interface AgentExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines of stderr, limited in size. */
  readonly said: string;
}

const AGENT_FAILURES = [
  /** The command does not exist or cannot be run. */
  "not_found",
  /** The user must log in first. */
  "login_required",
  /** It did not answer in time. */
  "timeout",
  /** Its process ended. */
  "exited",
  /** It was ended at its deadline, because the process that runs it could not renew its lease. */
  "expired",
  /** It answered with an error. */
  "refused",
  /** Its output does not follow the protocol, or is too large. */
  "protocol",
] as const;
type AgentFailureKind = (typeof AGENT_FAILURES)[number];

export class AgentFailure extends Error {
  readonly kind: AgentFailureKind;

  constructor(kind: AgentFailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "AgentFailure";
    this.kind = kind;
  }
}
