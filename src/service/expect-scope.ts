import { BelayError, refuse } from "../contract/errors.ts";
import { SCOPES, type Scope } from "../contract/vocabulary.ts";

/** Without a scope, someone has the data folder itself, and may do everything. */
export function hasScope(scope: Scope | undefined, needed: Scope): boolean {
  return scope === undefined || SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Throws where the scope does not reach. */
export function expectScope(scope: Scope | undefined, needed: Scope, why?: string): void {
  if (scope === undefined || hasScope(scope, needed)) return;
  const message = `This token has scope "${scope}"; this request needs "${needed}".`;
  const reason = why === undefined ? "" : ` ${why} on the server's computer.`;
  const hint = ` Run the command there, or use a token from: belay token create --scope ${needed}`;
  throw new BelayError(refuse("not_allowed", message + reason + hint, { scope, needed }));
}
