import { isSessionId } from "../../../contract/id-pattern.ts";
import { isRecord } from "../../../contract/is-record.ts";
import type { HookPlan, Surroundings } from "./hook-plan.ts";
import { NOTHING } from "./hook-plan.ts";
import { type Payload, textIn } from "./payload.ts";
import { planClaudeEvent } from "./plan-claude-event.ts";

/**
 * GAIA-OPS's stop event: it names the ended session, and may name the outcome. Claude Code's own payload is accepted
 * too.
 */
export function planSubagentStop(payload: Payload, here: Surroundings): HookPlan {
  const { task_info } = payload;
  if (!isRecord(task_info)) {
    return payload.agent_id === undefined
      ? NOTHING
      : planClaudeEvent("SubagentStop", { ...payload, hook_event_name: "SubagentStop" }, here);
  }
  const session_id = textIn(task_info, "agent_id");
  if (session_id === null || !isSessionId(session_id)) return NOTHING;
  // Fields of the task override fields next to it.
  const said = { ...payload, ...task_info };
  return {
    sighting: {
      // Nothing in it distinguishes one stop from the next.
      key: `subagent-stop:${here.newId()}`,
      at: here.now(),
      actor: "hook:subagent-stop",
      trace_id: null,
      session_id,
      begin: null,
      seen: {
        kind: "returned",
        outcome: hasFailed(said) ? "failed" : "completed",
        output: "",
        summary: textIn(said, "summary"),
        error: textIn(said, "error"),
        reason: "subagent_stop",
      },
    },
    notes: null,
  };
}

/** Its own word for the outcome counts most; otherwise any other sign of a failure. */
function hasFailed({ status, outcome, result, success, exit_code, error }: Payload): boolean {
  for (const word of [status, outcome, result]) {
    const verdict = typeof word === "string" ? ENDINGS[word.toLowerCase()] : undefined;
    if (verdict !== undefined) return verdict === "failed";
  }
  return success === false || (typeof exit_code === "number" && exit_code !== 0) || Boolean(error);
}

const ENDINGS: Readonly<Record<string, "completed" | "failed">> = {
  completed: "completed",
  complete: "completed",
  success: "completed",
  succeeded: "completed",
  failed: "failed",
  failure: "failed",
  error: "failed",
};
