import type { Usage } from "../contract/events.ts";
import type { TurnOutcome } from "../contract/vocabulary.ts";

/** One step of another tool's conversation, in the order in which it happened. Times are milliseconds; null: unknown. */
export type Item =
  /** Starts a turn. Without text, the agent speaks without having been asked. */
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
      /** Of the call. */
      readonly id: string;
      readonly failed: boolean;
      readonly output: string;
    }
  /** The agent's memory was replaced by a summary. What came before stays in the conversation. */
  | {
      readonly kind: "compacted";
      readonly at: number | null;
      readonly id: string;
      readonly summary: string;
    }
  | { readonly kind: "used"; readonly at: number | null; readonly usage: Usage }
  /** The agent said that its answer is complete, or why there is none. */
  | {
      readonly kind: "ended";
      readonly at: number | null;
      readonly outcome: TurnOutcome;
      readonly error: string | null;
    };

/** One line of turns from the start to an end. A conversation that someone rewound has several. */
export interface Branch {
  /** The tool's id of the first record that is not in `from`; null for the branch that the others leave. */
  readonly key: string | null;
  /** The tool's ids of the records that start the turns. */
  readonly turns: readonly string[];
  /** The branch that this one leaves, and how many turns they share. */
  readonly from: { readonly branch: string | null; readonly turns: number } | null;
  /** Whether this is where the tool itself would go on. */
  readonly current: boolean;
  /** The items of a turn, read when they are asked for. */
  items(turn: number): Iterable<Item>;
}

/** What is stored of a conversation's branches: the newest turn of each, by key. */
export type StoredBranches = ReadonlyMap<string | null, string>;

/** A conversation as another tool keeps it. Its content is read from its file piece by piece. */
export interface Conversation {
  /** The tool's own id. */
  readonly id: string;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly git_branch: string | null;
  readonly started_at: number | null;
  readonly updated_at: number | null;
  /** The agent that can open it again, by the name of its preset, and the agent's id of it. */
  readonly agent: { readonly name: string; readonly session_id: string | null };
  /** The conversation whose tool call started this one, where it is a sub-agent's. */
  readonly parent: { readonly id: string; readonly call: string | null } | null;
  /** The conversation of which this is said to be a copy that went on. */
  readonly forked_from?: string | null;
  /** Facts that have no place of their own. */
  readonly metadata: Readonly<Record<string, string>>;
  /** All branches, each behind the one that it leaves. One that is stored stays as it is and only grows. */
  branches(stored: StoredBranches): Promise<readonly Branch[]>;
}

/** What is wrong with a file, and where. */
export interface Damage {
  readonly file: string;
  readonly line: number | null;
  readonly why: string;
}

export type ReportDamage = (damage: Damage) => void;
