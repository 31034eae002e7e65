import type { Output } from "../../contract/operations.ts";

/** The one session that was asked for, or the page as a plain list. */
export function presentHistory(
  { sessions }: Output<"history">,
  { session_id }: Readonly<Record<string, unknown>>,
): unknown {
  return session_id === undefined ? sessions : sessions[0];
}
