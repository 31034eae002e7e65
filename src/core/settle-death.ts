import type { SessionCommand } from "../contract/commands.ts";
import type { SessionHead } from "../contract/head.ts";
import type { Effects } from "../contract/vocabulary.ts";
import { DIED } from "./evolve-session.ts";
import { recover } from "./recover.ts";

/** A tool call that was under way when its agent's process went. */
export interface OpenCall {
  readonly action_id: string;
  readonly turn_id: string | null;
  readonly title: string;
  readonly effects: Effects;
  /** The agent still waited for leave, so it had not begun. */
  readonly awaited_leave: boolean;
}

/** What becomes of an interrupted call, in the words of its result. */
export const CALL_OUTCOMES = {
  never_ran: "it did not run",
  repeatable: "it may be repeated",
  unknown: "whether it happened is not known",
} as const;
export type CallOutcome = keyof typeof CALL_OUTCOMES;

export interface Settlement {
  readonly commands: readonly SessionCommand[];
  /** What a person has to be asked about before the agent is told anything more. */
  readonly unknown: readonly OpenCall[];
}

/**
 * Gives all that a dead process left open its one result. Calls that were not made by an agent of ours (no turn) stay
 * with whoever declared them.
 */
export function settleDeath(head: SessionHead, open: readonly OpenCall[]): Settlement {
  const ours = open.filter((call) => call.turn_id !== null);
  return {
    commands: [
      ...head.approvals
        .filter((approval) => approval.awaited)
        .map(
          ({ id }): SessionCommand => ({
            type: "expire_approval",
            approval_id: id,
            reason: "interrupted; the agent will ask anew",
          }),
        ),
      ...ours.map((call) => interrupted(call, judgeCall(call))),
      ...(head.turn ? [endedTurn(head.turn.id)] : []),
      ...(head.agent?.running ? [{ type: "note_agent_stopped", reason: DIED } as const] : []),
    ],
    unknown: ours.filter((call) => judgeCall(call) === "unknown"),
  };
}

/** Belay cannot run an agent's call again; what the table says becomes what the agent is told. */
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

function endedTurn(turn_id: string): SessionCommand {
  return { type: "end_turn", turn_id, outcome: "interrupted", error: null, usage: null };
}
