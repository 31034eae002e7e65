import { BelayError, refuse } from "../contract/errors.ts";
import { SCOPES, type Scope } from "../contract/vocabulary.ts";

/** Without a scope, someone has the data folder itself, and may do everything. */
export function expectScope(scope: Scope | undefined, needed: Scope): void {
  if (scope === undefined || SCOPES.indexOf(scope) >= SCOPES.indexOf(needed)) return;
  const message = `this token allows to ${scope}, and that needs ${needed}: use another one (belay token create --scope ${needed})`;
  throw new BelayError(refuse("not_allowed", message, { scope, needed }));
}
