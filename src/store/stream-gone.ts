import { BelayError, refuse } from "../contract/errors.ts";

/** The error for a stream that was found a moment ago and has been purged since. */
export function streamGone(id: string): BelayError {
  return new BelayError(refuse("session_not_found", "This session no longer exists.", { id }));
}
