import type { PromptEnd } from "../../agent/agent-connection.ts";
import { AgentFailure } from "../../agent/agent-connection.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { BelayError } from "../../contract/errors.ts";
import type { Usage } from "../../contract/events.ts";
import type { TurnOutcome } from "../../contract/vocabulary.ts";

/** The reason why a turn is stopped from outside the agent. */
export type CancelReason =
  /** Someone interrupted it. */
  | "interrupt"
  /** The session was suspended, or this process is about to end. */
  | "suspend"
  /** The agent's work could not be stored. */
  | "unstored"
  /** The agent was silent for too long. */
  | "silence"
  /** The session was finished, which ended the turn in the log. */
  | "taken"
  /** Another driver holds the lease. */
  | "lost";

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly error: string | null;
  /** True if the agent's process is gone, together with its work. */
  readonly died: boolean;
  /** True if the node or its database has failed, and not the agent: then the turn is continued. */
  readonly continues: boolean;
}

const OF_CANCEL = {
  interrupt: { outcome: "cancelled", error: null },
  suspend: { outcome: "interrupted", error: null },
  unstored: { outcome: "interrupted", error: null },
  silence: { outcome: "failed", error: "the agent was silent for too long" },
  taken: { outcome: "cancelled", error: null },
  lost: { outcome: "interrupted", error: null },
} as const satisfies Record<CancelReason, { outcome: TurnOutcome; error: string | null }>;

const OF_STOP = {
  end_turn: { outcome: "completed", error: null },
  max_tokens: { outcome: "completed", error: null },
  max_turn_requests: { outcome: "completed", error: null },
  refusal: { outcome: "failed", error: "the agent refused to answer this" },
  // Belay did not ask the agent to stop. Usually its process got a signal.
  cancelled: { outcome: "interrupted", error: "the agent stopped by itself" },
} as const satisfies Record<PromptEnd["stop"], { outcome: TurnOutcome; error: string | null }>;

/** The outcome of a turn. A request to stop it overrides the agent's report. */
export function judgeTurn(
  end: PromptEnd | { readonly failure: unknown },
  cancelled: CancelReason | null,
): TurnEnd {
  const failure = "failure" in end ? end.failure : null;
  const died = failure instanceof AgentFailure && GONE.has(failure.kind);
  if (cancelled) return { ...OF_CANCEL[cancelled], died, continues: cancelled === "unstored" };
  if ("stop" in end) return { ...OF_STOP[end.stop], died, continues: false };
  const continues = isOfNode(failure);
  return {
    outcome: continues ? "interrupted" : "failed",
    error: explain(failure),
    died,
    continues,
  };
}

const GONE: ReadonlySet<AgentFailure["kind"]> = new Set(["exited", "expired"]);

/** Refusals that mean that the database did not answer, or that the lease has ended. */
const OF_NODE: ReadonlySet<ErrorCode> = new Set([
  "lease_lost",
  "store_busy",
  "storage_unreachable",
]);

function isOfNode(failure: unknown): boolean {
  if (failure instanceof AgentFailure) return failure.kind === "expired";
  return failure instanceof BelayError && OF_NODE.has(failure.code);
}

/** The usage of a turn as the agent reports it; null if it reports nothing. */
export function usageOf(said: PromptEnd | null, cost_usd: number): Usage | null {
  if (!said?.usage && cost_usd === 0) return null;
  const { input_tokens, output_tokens } = said?.usage ?? { input_tokens: 0, output_tokens: 0 };
  return { input_tokens, output_tokens, cost_usd };
}

function explain(failure: unknown): string {
  if (failure instanceof AgentFailure || failure instanceof BelayError) return failure.message;
  return `Unexpected error: ${failure instanceof Error ? failure.message : failure}`;
}
