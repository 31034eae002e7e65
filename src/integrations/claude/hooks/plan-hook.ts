import type { HookPlan, Surroundings } from "./hook-plan.ts";
import type { Payload } from "./payload.ts";
import { planClaudeEvent } from "./plan-claude-event.ts";
import { planSubagentStop } from "./plan-subagent-stop.ts";

/** What a hook is to do with what it was handed. `claude-code` stands for whichever event the payload names. */
export function planHook(name: string, payload: Payload, here: Surroundings): HookPlan {
  if (name === "subagent-stop") return planSubagentStop(payload, here);
  return planClaudeEvent(name, payload, here);
}

/**
 * The same where Belay runs the agent: its driver has recorded the conversation, its tools and its end already, and has told
 * it what it missed. What only hooks are told of goes into that session.
 */
export function planWithin({ sighting, notes }: HookPlan, session_id: string): HookPlan {
  if (sighting && sighting.actor !== "hook:claude-code") return { sighting, notes };
  return {
    sighting:
      sighting?.seen.kind === "compacting" ? { ...sighting, session_id, begin: null } : null,
    notes: notes?.event === "SessionStart" ? null : notes,
  };
}
