import type { SessionCommand } from "../../contract/commands.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import { recover } from "../recovery/recover.ts";

/** A tool call that was under way when its agent's process ended. */
export interface OpenCall {
  readonly action_id: string;
  readonly turn_id: string | null;
  readonly title: string;
  readonly effects: Effects;
  /** True if the agent still waited for permission, so the call had not started. */
  readonly awaited_leave: boolean;
}

/** The outcomes of an interrupted call, in the words of its result. */
export const CALL_OUTCOMES = {
  never_ran: "it did not run",
  repeatable: "it may be repeated",
  unknown: "it is unknown whether it ran",
} as const;
export type CallOutcome = keyof typeof CALL_OUTCOMES;

/** Belay cannot run an agent's call again, so the table's step becomes a note to the agent. */
export function judgeCall(call: OpenCall): CallOutcome {
  if (call.awaited_leave) return "never_ran";
  const step = recover({
    status: "started",
    effects: call.effects,
    keyed: false,
    process: "gone",
    detachable: false,
    failures: 0,
  });
  return step === "rerun" ? "repeatable" : "unknown";
}

export function interrupted(
  { action_id, title }: Pick<OpenCall, "action_id" | "title">,
  outcome: CallOutcome,
): SessionCommand {
  return {
    type: "complete_action",
    action_id,
    status: "interrupted",
    result: "interrupted",
    details: { title, outcome, means: CALL_OUTCOMES[outcome] },
  };
}
