import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import { type Turn, TurnOver } from "./turn.ts";

/** Waits for the user as long as it takes. An answer that says "cancelled" ends the turn. */
export async function askPermission(
  turn: Turn,
  toolCall: ToolCallUpdate,
  options: readonly PermissionOption[],
): Promise<PermissionOption> {
  turn.signal.throwIfAborted();
  const asked = turn.client.request(methods.client.session.requestPermission, {
    sessionId: turn.session.id,
    toolCall,
    options: [...options],
  });
  const { outcome } = await unlessAborted(asked, turn.signal);
  if (outcome.outcome === "cancelled") {
    turn.session.running?.abort(new TurnOver("cancelled"));
    throw new TurnOver("cancelled");
  }
  const chosen = options.find(({ optionId }) => optionId === outcome.optionId);
  if (!chosen) throw new Error(`I offered no option "${outcome.optionId}"`);
  return chosen;
}

/** The client's answer may still come after a cancel; then nobody waits for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
