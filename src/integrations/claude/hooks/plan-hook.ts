import type { HookPlan, Surroundings } from "./hook-plan.ts";
import type { Payload } from "./payload.ts";
import { planClaudeEvent } from "./plan-claude-event.ts";
import { planSubagentStop } from "./plan-subagent-stop.ts";

/** The work of a hook for its payload. `claude-code` stands for the event that the payload names. */
export function planHook(name: string, payload: Payload, here: Surroundings): HookPlan {
  if (name === "subagent-stop") return planSubagentStop(payload, here);
  return planClaudeEvent(name, payload, here);
}

/**
 * The same if Belay runs the agent: its driver has already recorded the conversation, its tools and its end, and has
 * given it its notes. Events that only hooks receive go into that session.
 */
export function planWithin({ sighting, notes }: HookPlan, session_id: string): HookPlan {
  if (sighting && sighting.actor !== "hook:claude-code") return { sighting, notes };
  return {
    sighting:
      sighting?.seen.kind === "compacting" ? { ...sighting, session_id, begin: null } : null,
    notes: notes?.event === "SessionStart" ? null : notes,
  };
}
