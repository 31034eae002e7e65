import type { ToolCall } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { OpenCall } from "../../core/open-call.ts";

/** A tool call of an agent, and the action that stands for it. */
export interface RecordedCall extends OpenCall {
  title: string;
  awaited_leave: boolean;
  running: boolean;
  open: boolean;
  /** Its beginning, while as many are open as a session holds; null once it stands in the log. */
  unbegun: SessionCommand | null;
  /** As it was put down last, and how often it has been since. */
  described: string;
  descriptions: number;
  /** Its end, where that came first. */
  ended: SessionCommand | null;
}

export function began(recorded: OpenCall, call: ToolCall): SessionCommand {
  const { action_id, turn_id, effects } = recorded;
  const { tool_kind } = call;
  return {
    type: "begin_action",
    action_id,
    turn_id,
    action_type: tool_kind,
    effects,
    idempotent: false,
    idempotency_key: null,
    detachable: false,
    orphanable: false,
    rollback: [],
    process: null,
    details: detailsOf(call),
  };
}

export function detailsOf({ title, tool_call_id: tool_call, input, paths }: ToolCall) {
  return { title, tool_call, input: input ?? null, paths };
}

export function completed({ action_id }: RecordedCall, call: ToolCall): SessionCommand {
  const { title, output, diffs, paths } = call;
  return {
    type: "complete_action",
    action_id,
    status: call.status === "failed" ? "failed" : "completed",
    result: call.status === "failed" ? "failed" : "success",
    details: { title, ...(output === null ? {} : { output }), paths, diffs },
  };
}
