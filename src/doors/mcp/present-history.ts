import type { Output } from "../../contract/operations.ts";

export interface Presented {
  readonly value: unknown;
  /** For programs; agents do not see it. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The requested session, or the page as a plain list, which has no place for the next cursor. */
export function presentHistory(
  { sessions, next_cursor }: Output<"history">,
  { session_id }: Readonly<Record<string, unknown>>,
): Presented {
  if (session_id !== undefined) return { value: sessions[0] };
  return { value: sessions, ...(next_cursor !== null && { meta: { next_cursor } }) };
}
