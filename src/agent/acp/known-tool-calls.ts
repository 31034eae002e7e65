import type { ToolCall } from "../agent-connection.ts";

const MOST_OPEN = 256;
const MOST_FINISHED = 32;
/** The total size of all whole outputs, in characters. */
const MOST_HELD = 16 * 1024 * 1024;

/**
 * The tool calls of a connection, because updates only contain changes. A finished call is soon forgotten; the last
 * ones stay, because some agents add to a call after its end.
 */
export class KnownToolCalls {
  readonly #open = new Map<string, ToolCall>();
  readonly #finished = new Map<string, ToolCall>();

  readonly find = (id: string): ToolCall | undefined =>
    this.#open.get(id) ?? this.#finished.get(id);

  remember(call: ToolCall): void {
    const id = call.tool_call_id;
    const isFinished = call.status === "completed" || call.status === "failed";
    this.#open.delete(id);
    this.#finished.delete(id);
    if (isFinished) dropOldest(this.#finished.set(id, withoutWhole(call)), MOST_FINISHED);
    else dropOldest(this.#open.set(id, this.#fitting(call)), MOST_OPEN);
  }

  /** Limits the memory for growing outputs; beyond it only the excerpt stays. */
  #fitting(call: ToolCall): ToolCall {
    let held = call.whole_output?.length ?? 0;
    for (const { whole_output } of this.#open.values()) held += whole_output?.length ?? 0;
    return held > MOST_HELD ? withoutWhole(call) : call;
  }
}

function withoutWhole({ whole_output, ...call }: ToolCall): ToolCall {
  return call;
}

function dropOldest(calls: Map<string, ToolCall>, most: number): void {
  for (const id of calls.keys()) {
    if (calls.size <= most) return;
    calls.delete(id);
  }
}
