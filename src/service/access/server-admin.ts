import { BelayError, refuse } from "../../contract/errors.ts";
import { hasScope } from "../expect-scope.ts";
import type { Caller } from "../service-context.ts";

/** True for a caller with direct access to the data folder, and for an admin whose token has scope admin. */
export function isServerAdmin({ scope, role }: Caller): boolean {
  return scope === undefined || (scope === "admin" && role === "admin");
}

/**
 * True also for an admin in a browser, whose login has scope write. Such an admin can start agents without isolation, which
 * can read the whole data folder, so this adds no access.
 */
export function maySeeEveryone(caller: Caller): boolean {
  return isServerAdmin(caller) || (caller.role === "admin" && caller.browser === true);
}

/** True if the caller may change files of trusted work trees. The login of an admin can do more, for the same reason. */
export function mayRestoreFiles(caller: Caller): boolean {
  return hasScope(caller.scope, "admin") || maySeeEveryone(caller);
}

export function expectServerAdmin(caller: Caller, isAdmin = isServerAdmin): void {
  if (isAdmin(caller)) return;
  const message = `${caller.owner} is not an admin of this server. Ask an admin, or use the command line on the data folder.`;
  throw new BelayError(refuse("not_allowed", message));
}
