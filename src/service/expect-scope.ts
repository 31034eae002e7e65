import { BelayError, refuse } from "../contract/errors.ts";
import { SCOPES, type Scope } from "../contract/vocabulary.ts";

/** A caller without a scope has direct access to the data folder, so everything is allowed. */
export function hasScope(scope: Scope | undefined, needed: Scope): boolean {
  return scope === undefined || SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Throws if the scope is too low; `hint` says how to continue. */
export function expectScope(scope: Scope | undefined, needed: Scope, hint?: string): void {
  if (hasScope(scope, needed)) return;
  const missing = `This token has scope "${scope}"; this request needs "${needed}".`;
  const message = `${missing} ${hint ?? `Use a token from: belay token create --scope ${needed}`}`;
  throw new BelayError(refuse("not_allowed", message, { scope, needed }));
}
