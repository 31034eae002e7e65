import type { Usage } from "../contract/events.ts";
import type { TurnOutcome } from "../contract/vocabulary.ts";

/** One step of another tool's conversation, in order. Times are milliseconds; null means unknown. */
export type Item =
  /** Starts a turn. Without text, the agent speaks without a prompt. */
  | { readonly kind: "prompt"; readonly at: number | null; readonly text: string | null }
  | {
      readonly kind: "said";
      readonly at: number | null;
      readonly as: "message" | "thought" | "plan" | "note";
      readonly text: string;
    }
  | {
      readonly kind: "called";
      readonly at: number | null;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly kind: "returned";
      readonly at: number | null;
      /** The id of the call. */
      readonly id: string;
      readonly failed: boolean;
      readonly output: string;
    }
  /** The agent's memory was replaced by a summary. The earlier part stays in the conversation. */
  | {
      readonly kind: "compacted";
      readonly at: number | null;
      readonly id: string;
      readonly summary: string;
    }
  | { readonly kind: "used"; readonly at: number | null; readonly usage: Usage }
  /** The agent reported that its answer is complete, or why there is none. */
  | {
      readonly kind: "ended";
      readonly at: number | null;
      readonly outcome: TurnOutcome;
      readonly error: string | null;
    };

/** One line of turns from start to end. A rewound conversation has several. */
export interface Branch {
  /** The tool's id of the first record that is not in `from`; null for the branch that the others leave. */
  readonly key: string | null;
  /** The tool's ids of the records that start the turns. */
  readonly turns: readonly string[];
  /** The branch that this one leaves, and the number of shared turns. */
  readonly from: { readonly branch: string | null; readonly turns: number } | null;
  /** True if the tool itself would continue here. */
  readonly current: boolean;
  /** The items of a turn, read on demand. */
  items(turn: number): Iterable<Item> | AsyncIterable<Item>;
}

/** The stored branches of a conversation: the newest turn of each, by key. */
export type StoredBranches = ReadonlyMap<string | null, string>;

/** A conversation of another tool. Its content is read from its file piece by piece. */
export interface Conversation {
  /** The tool's own id. */
  readonly id: string;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly git_branch: string | null;
  readonly started_at: number | null;
  readonly updated_at: number | null;
  /** The agent that can reopen it, by the name of its preset, and the agent's id for it. */
  readonly agent: { readonly name: string; readonly session_id: string | null };
  /** The conversation whose tool call started this one, if it is a sub-agent's. */
  readonly parent: { readonly id: string; readonly call: string | null } | null;
  /** The conversation that this one was copied from, according to the tool. */
  readonly forked_from?: string | null;
  /** Other facts about the conversation. */
  readonly metadata: Readonly<Record<string, string>>;
  /** All branches, each after the one that it leaves. A stored branch only grows. */
  branches(stored: StoredBranches): Promise<readonly Branch[]>;
}

/** A problem in a file, with its line. */
export interface Damage {
  readonly file: string;
  readonly line: number | null;
  readonly why: string;
}

export type ReportDamage = (damage: Damage) => void;
