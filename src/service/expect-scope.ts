import { BelayError, refuse } from "../contract/errors.ts";
import { SCOPES, type Scope } from "../contract/vocabulary.ts";

/** Without a scope, someone has the data folder itself, and may do everything. */
export function hasScope(scope: Scope | undefined, needed: Scope): boolean {
  return scope === undefined || SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Throws where the scope does not reach; `hint` says what to do instead. */
export function expectScope(scope: Scope | undefined, needed: Scope, hint?: string): void {
  if (hasScope(scope, needed)) return;
  const missing = `This token has scope "${scope}"; this request needs "${needed}".`;
  const message = `${missing} ${hint ?? `Use a token from: belay token create --scope ${needed}`}`;
  throw new BelayError(refuse("not_allowed", message, { scope, needed }));
}
