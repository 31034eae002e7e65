import type { Process } from "../contract/events.ts";
import type { PermissionKind } from "../contract/vocabulary.ts";

/**
 * The port between Belay and agents: a process that opens a session of its own, answers prompts in it, and may be
 * killed at any moment. An adapter knows nothing of Belay's sessions; it is handed a launch and a listener.
 */
export interface AgentStarter {
  /**
   * Starts the process in a clean environment and shakes hands within a time limit. Rejects with `AgentFailure`, and
   * then nothing is left running. The signal gives up on it before that.
   */
  start(
    launch: AgentLaunch,
    listener: AgentListener,
    signal?: AbortSignal,
  ): Promise<AgentConnection>;
}

/** How an agent is started, and what has to be minded with it. */
export interface AgentLaunch {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All that the process is given; nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** In the environment of every process that it starts: what a dead driver left behind is found by it. */
  readonly marker: string;
  /** Set anew each time the agent's session is opened, because most agents forget it. */
  readonly mode: string | null;
  readonly mcp_servers: readonly McpServer[];
  readonly quirks: AgentQuirks;
  readonly limits: AgentLimits;
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

/** What one agent does differently from the others. */
export interface AgentQuirks {
  /** Its session cannot be opened again in the clock minute in which it was made. */
  readonly reopen_in_next_minute: boolean;
  /** `end_turn` without a word of answer means that its model failed. */
  readonly silent_end_is_failure: boolean;
  /** It says this and `end_turn`, without usage, when its model fails. */
  readonly failure_text: RegExp | null;
  /** The usage that it reports is that of all turns since its process was started. */
  readonly usage_is_total: boolean;
  /** It reports the usage of each call of its model in `_meta` of an update, and none at the end of the turn. */
  readonly usage_in_updates: boolean;
  /** Updates of a replay may still come after the answer to `load`: so long is waited for the last of them. */
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
  /** The launch's. */
  readonly marker: string;
  /** How it can open a session of its own that it had before. */
  readonly reopens: { readonly resume: boolean; readonly load: boolean };
  /** The process has ended, for any reason. Resolves once. */
  readonly exited: Promise<AgentExit>;

  /** Opens a session of the agent's own, with mode and MCP servers applied. Rejects with `AgentFailure`. */
  open(way: OpenWay): Promise<OpenedSession>;
  /**
   * Resolves when the agent says that it has stopped, after every update that it sent before has been listened to.
   * Rejects with `AgentFailure` when it answers an error or is gone.
   */
  prompt(text: string): Promise<PromptEnd>;
  /** Asks it to stop the running prompt. Permission requests that are open are answered as cancelled. */
  cancel(): Promise<void>;
  /**
   * Ends it and every process it has started, politely first. Resolves when none of them is left; safe to call twice.
   */
  end(): Promise<void>;
  /** The last frames in both directions and what it wrote to stderr, within a bound, for diagnosis. */
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
  /** What a `load` told again of earlier prompts, oldest first; it never reaches the listener. */
  readonly replayed: readonly string[];
}

/** Hears what the agent does, in its order. Replayed history is not among it. */
export interface AgentListener {
  /** As long as a promise that it returns is open, nothing more is read from the agent. */
  update(update: AgentUpdate): void | Promise<void>;
  /** Told why nothing will be heard for a while. */
  notice?(text: string): void;
  /** The agent waits for the answer. The signal says that it no longer does. */
  permission(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer>;
}

export type AgentUpdate =
  | { readonly kind: "message" | "thought"; readonly text: string }
  | { readonly kind: "plan"; readonly entries: readonly PlanEntry[] }
  | { readonly kind: "tool"; readonly call: ToolCall }
  | { readonly kind: "usage"; readonly cost_usd: number | null; readonly context_tokens: number }
  | { readonly kind: "mode"; readonly mode: string }
  | { readonly kind: "title"; readonly title: string }
  /** Something of a kind that is not known, with a bounded excerpt. */
  | { readonly kind: "other"; readonly name: string; readonly excerpt: string };

export interface PlanEntry {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

/** A tool call as far as it is known now: fields that an update leaves out have been filled in from before. */
export interface ToolCall {
  readonly tool_call_id: string;
  readonly title: string;
  /** The protocol's word for what the tool does: read, edit, delete, move, search, execute, think, fetch, other … */
  readonly tool_kind: string;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  /** Bounded; an excerpt says so. */
  readonly input: unknown;
  readonly output: string | null;
  /** All of the output, where `output` is an excerpt. */
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
  readonly options: readonly { readonly kind: PermissionKind; readonly name: string }[];
}
/** The adapter chooses the option of this kind, or the nearest that is offered (never from allow to reject or back). */
export type PermissionAnswer = { readonly kind: PermissionKind } | { readonly kind: "cancelled" };

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
  /** The last lines of stderr, bounded. */
  readonly said: string;
}

const AGENT_FAILURES = [
  /** The command does not exist or cannot be run. */
  "not_found",
  /** It wants its user to log in first. */
  "login_required",
  /** It did not answer in time. */
  "timeout",
  /** Its process ended. */
  "exited",
  /** It answered with an error. */
  "refused",
  /** What it sent is not the protocol, or too large. */
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
