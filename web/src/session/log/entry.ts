import type { RollbackStep } from "../../../../src/contract/action/intent.ts";
import type { ApprovalChoice } from "../../../../src/contract/approval/approval-choice.ts";
import type { SessionEvent, Usage } from "../../../../src/contract/events.ts";
import type { PlanLine } from "../../../../src/contract/run-event.ts";
import type { FileDiff } from "../../../../src/contract/session.ts";
import type {
  ActionStatus,
  ApprovalKind,
  Effects,
  PermissionKind,
  TurnOutcome,
} from "../../../../src/contract/vocabulary.ts";

/** One entry of a conversation. A changed entry is a new object. */
export type Entry = Said | Text | Plan | Call | Note | Question | TurnEnd | Mark;

interface Placed {
  /** The event that started it, for links. Null while nothing of it is stored. */
  readonly seq: number | null;
  readonly turn_id: string | null;
  /** Milliseconds; null while nothing is stored. */
  readonly at: number | null;
}

/** A message of a person, or of a program for them. */
export interface Said extends Placed {
  readonly kind: "said";
  /** Null if it was sent before the loaded part. */
  readonly text: string | null;
  /** Null if it is not loaded, or the turn started without a message. */
  readonly actor: string | null;
}

export interface Text extends Placed {
  readonly kind: "message" | "thought";
  readonly text: string;
  /** True if its start is before the loaded part. */
  readonly isCut: boolean;
}

export interface Plan extends Placed {
  readonly kind: "plan";
  readonly lines: readonly PlanLine[];
}

export interface Call extends Placed {
  readonly kind: "call";
  readonly action_id: string;
  readonly tool: string;
  readonly title: string;
  readonly status: ActionStatus;
  readonly effects: Effects | null;
  /** True if it was interrupted and may still have happened. */
  readonly isUnknown: boolean;
  readonly input: unknown;
  readonly output: string | null;
  readonly diffs: readonly FileDiff[];
  readonly ended_at: number | null;
  /** The milliseconds spent waiting for a person's answer. */
  readonly waited: number;
}

export interface Note extends Placed {
  readonly kind: "note";
  readonly text: string;
}

export interface Question extends Placed {
  readonly kind: "question";
  readonly approval_id: string;
  readonly asks: ApprovalKind;
  readonly title: string;
  readonly body: string | null;
  readonly action_id: string | null;
  readonly options: readonly PermissionKind[];
  readonly choices: readonly ApprovalChoice[];
  readonly missing_choices: number;
  readonly rollback: readonly RollbackStep[];
  /** Milliseconds; null if it waits without a limit. */
  readonly expires_at: number | null;
  readonly answer: Answer | null;
}

export interface Answer {
  readonly decision: "approved" | "rejected" | "expired" | "dropped";
  readonly note: string | null;
  readonly always: boolean;
  /** The option that the agent got. */
  readonly choice: ApprovalChoice | null;
  readonly actor: string;
  readonly door: string;
  readonly at: number;
}

export interface TurnEnd extends Placed {
  readonly kind: "end";
  /** Without usage, nobody knows if a model has answered. */
  readonly outcome: TurnOutcome | "dropped" | "without_usage";
  readonly error: string | null;
  readonly usage: Usage | null;
  /** Milliseconds; null if its start is not loaded. */
  readonly took: number | null;
}

/** An event of the session itself. */
export interface Mark extends Placed {
  readonly kind: "mark";
  readonly tone: Tone;
  readonly text: string;
  readonly more: string | null;
  /** The session that it came from. */
  readonly link: string | null;
}
export type Tone = "plain" | "good" | "warn" | "bad";

export interface Queued {
  readonly turn_id: string;
  readonly text: string;
  readonly seq: number;
  readonly at: number;
}

export type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: T }>;
