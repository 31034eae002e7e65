import type { AgentListener, PermissionAnswer } from "../agent-connection.ts";
import { mergeToolCall } from "./merge-tool-call.ts";
import { readOptions, toOutcome, toRequest } from "./permissions.ts";
import { fieldsOf } from "./read-fields.ts";
import type { SessionFeed } from "./session-feed.ts";

const CANCELLED: PermissionAnswer = { kind: "cancelled" };

/** Answers a permission request of the agent. Once `stop` is aborted the answer is `cancelled`, whatever the listener does. */
export async function askListener(
  params: unknown,
  feed: SessionFeed,
  listener: AgentListener,
  stop: AbortSignal,
): Promise<unknown> {
  const { sessionId, toolCall, options } = fieldsOf(params);
  const offered = readOptions(options);
  const call = mergeToolCall(fieldsOf(toolCall), feed.findCall);
  if (!call || sessionId !== feed.id || stop.aborted) return toOutcome(CANCELLED, offered);
  feed.keepCall(call);
  const answer = listener.permission(toRequest(call, offered), stop).catch(() => CANCELLED);
  return toOutcome(await Promise.race([answer, cancelledBy(stop)]), offered);
}

function cancelledBy(signal: AbortSignal): Promise<PermissionAnswer> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(CANCELLED), { once: true });
  });
}
