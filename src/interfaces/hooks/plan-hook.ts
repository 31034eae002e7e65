import { planClaudeEvent } from "./claude-code.ts";
import type { HookPlan, Surroundings } from "./hook-plan.ts";
import type { Payload } from "./payload.ts";
import { planSubagentStop } from "./subagent-stop.ts";

/** What a hook is to do with what it was handed. `claude-code` stands for whichever event the payload names. */
export function planHook(name: string, payload: Payload, here: Surroundings): HookPlan {
  if (name === "subagent-stop") return planSubagentStop(payload, here);
  return planClaudeEvent(name, payload, here);
}
