import type { ToolCall } from "../agent-connection.ts";

const MOST_OPEN = 256;
const MOST_FINISHED = 32;

/**
 * The tool calls of a connection, because updates tell only what has changed. A call that has finished is soon
 * forgotten; the last ones stay, because some agents add to a call after its end.
 */
export class KnownToolCalls {
  readonly #open = new Map<string, ToolCall>();
  readonly #finished = new Map<string, ToolCall>();

  readonly find = (id: string): ToolCall | undefined =>
    this.#open.get(id) ?? this.#finished.get(id);

  keep(call: ToolCall): void {
    const id = call.tool_call_id;
    const isFinished = call.status === "completed" || call.status === "failed";
    this.#open.delete(id);
    this.#finished.delete(id);
    if (isFinished) keepLast(this.#finished.set(id, call), MOST_FINISHED);
    else keepLast(this.#open.set(id, call), MOST_OPEN);
  }
}

function keepLast(calls: Map<string, ToolCall>, most: number): void {
  for (const id of calls.keys()) {
    if (calls.size <= most) return;
    calls.delete(id);
  }
}
