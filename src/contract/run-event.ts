import type {
  ActionStatus,
  ApprovalKind,
  ChoiceKind,
  Effects,
  PermissionKind,
  TurnOutcome,
} from "./vocabulary.ts";

/** The cost of a turn, as its agent reports it. */
interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
}

/** One of the options that an agent offers. */
interface ApprovalChoice {
  readonly option_id: string;
  readonly name: string;
  readonly kind: ChoiceKind;
}

/** One file that a tool call changes. */
interface FileDiff {
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

/**
 * A piece of an answer before it is stored. It has no seq; turn, item and offset give its place.
 */
export interface Delta {
  readonly turn_id: string;
  readonly item: number;
  readonly kind: "message" | "thought";
  /** In UTF-16 units from the start of the item. */
  readonly offset: number;
  readonly text: string;
  /** The newest stored event when the piece was sent. */
  readonly after: number;
}

/** An event of a working agent as onlookers see it: live from this process, or from the log. */
export type RunEvent = RunEventBody & { readonly session_id: string };

type RunEventBody =
  | { readonly type: "queued"; readonly turn_id: string; readonly content: string }
  /** The session waits for a free agent of this process; 1 is the next. Not stored; comes again when it changes. */
  | { readonly type: "waiting"; readonly position: number }
  | { readonly type: "started"; readonly turn_id: string; readonly content: string | null }
  | {
      readonly type: "message" | "thought";
      readonly turn_id: string;
      readonly item: number;
      readonly offset: number;
      readonly text: string;
    }
  | { readonly type: "plan"; readonly turn_id: string; readonly entries: readonly PlanLine[] }
  | { readonly type: "note"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly action_id: string;
      readonly tool: string;
      readonly title: string;
      readonly status: ActionStatus;
      /** Known when the call starts. */
      readonly effects: Effects | null;
      readonly input: unknown;
      /** Known when the call has ended. */
      readonly result: string | null;
      readonly output: string | null;
      readonly diffs: readonly FileDiff[];
    }
  | {
      readonly type: "permission";
      readonly approval_id: string;
      /** Only a `permission` ends with its turn. */
      readonly kind: ApprovalKind;
      readonly title: string;
      readonly body: string | null;
      /** The tool call that the question is about. */
      readonly action_id: string | null;
      readonly options: readonly PermissionKind[];
      /** The agent's own options, in its order. */
      readonly choices: readonly ApprovalChoice[];
      /** The number of options that are too many to show. If there are any, it can only be rejected. */
      readonly missing_choices: number;
    }
  | {
      readonly type: "answered";
      readonly approval_id: string;
      readonly decision: "approved" | "rejected" | "expired";
      readonly note: string | null;
      /** The option that the agent gets. */
      readonly choice: ApprovalChoice | null;
    }
  | { readonly type: "agent"; readonly state: "started" | "stopped"; readonly how: string }
  | {
      readonly type: "suspended";
      readonly reason: string;
      readonly checkpoint_id: string | null;
    }
  | { readonly type: "resumed"; readonly interface: string }
  /** The turn ended. A failed turn comes as `error` instead. */
  | {
      readonly type: "completed";
      readonly turn_id: string;
      readonly outcome: Exclude<TurnOutcome, "failed">;
      readonly usage: Usage | null;
    }
  | { readonly type: "error"; readonly turn_id: string | null; readonly message: string }
  | { readonly type: "ended"; readonly status: "completed" | "failed" | "cancelled" | "archived" };

export interface PlanLine {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}
