import type { ToolCall } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { OpenCall } from "../../core/session/open-call.ts";

/** A tool call of an agent, and the action that stands for it. */
export interface RecordedCall extends OpenCall {
  title: string;
  awaited_leave: boolean;
  running: boolean;
  open: boolean;
  /** A person is asked about it, and is to see what it would change before it does. */
  asked: boolean;
  /** Its beginning, while as many are open as a session holds; null once it stands in the log. */
  unbegun: SessionCommand | null;
  /** As it was put down last, and how often it has been since. */
  described: string;
  descriptions: number;
  /** Its end, where that came first. */
  ended: SessionCommand | null;
}

export function began(recorded: OpenCall, call: ToolCall, asked: boolean): SessionCommand {
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
    details: detailsOf(call, asked),
  };
}

/** Diffs come with its end; they stand here too only where they are needed earlier. */
export function detailsOf(call: ToolCall, asked: boolean) {
  const { title, tool_call_id: tool_call, input, paths, diffs } = call;
  const shown = asked && diffs.length > 0 ? { diffs } : {};
  return { title, tool_call, input: input ?? null, paths, ...shown };
}

export function completed({ action_id }: RecordedCall, call: ToolCall): SessionCommand {
  const { title, output, whole_output, diffs, paths } = call;
  return {
    type: "complete_action",
    action_id,
    status: call.status === "failed" ? "failed" : "completed",
    result: call.status === "failed" ? "failed" : "success",
    details: {
      title,
      ...(output !== null && { output }),
      ...(whole_output !== undefined && { [WHOLE_OUTPUT]: whole_output }),
      paths,
      diffs,
    },
  };
}

/** In the details of a command: what is not for the log, but for a file that the log points to. */
export const WHOLE_OUTPUT = "whole_output";
