import { refuse } from "../../contract/errors.ts";
import type { OperationName } from "../../contract/operations.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { grantGuard } from "./grant-guard.ts";
import { narrowedStore } from "./narrowed-store.ts";
import type { Grant, GrantContext } from "./read-grants.ts";

/** A store that contains only one shared session. The share is checked again in the transaction that changes it. */
export function grantedStore(
  context: GrantContext,
  person: string,
  grant: Grant,
  operation: OperationName,
): StreamStore {
  return narrowedStore(context.store, {
    isOwn: (stream) => stream?.id === grant.stream.id,
    judge: (verdict) => {
      const makes = "appends" in verdict && verdict.appends.some(({ create }) => isSession(create));
      const message = "You cannot create sessions for other people.";
      return makes ? { refused: refuse("not_allowed", message) } : verdict;
    },
    tally: async () => [],
    guard: grantGuard(context, person, grant, operation),
  });
}

function isSession(create: { readonly kind: string } | undefined): boolean {
  return create?.kind === "session";
}
