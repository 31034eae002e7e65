import type { ToolCall } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import type { OpenCall } from "../../core/session/open-call.ts";

/** An agent's tool call, and the action that records it. */
export interface RecordedCall extends OpenCall {
  title: string;
  effects: Effects;
  /** The kind with which the action was recorded. */
  readonly tool_kind: string;
  changed_kind: boolean;
  awaited_leave: boolean;
  running: boolean;
  open: boolean;
  /** True if a person is asked about the call, and must see its changes first. */
  asked: boolean;
  /** The start of the action, while the session has too many open ones; null once it is in the log. */
  unbegun: SessionCommand | null;
  /** The last recorded description, and the number of descriptions since. */
  described: string;
  descriptions: number;
  /** The end of the action, if it came before the recorded start. */
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

/** Diffs are stored with the end of a call. They are only stored here too if a person must see them earlier. */
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

/** A field in a command's details for an output that goes into a blob instead of the log. */
export const WHOLE_OUTPUT = "whole_output";
