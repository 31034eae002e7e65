import { BelayError, refuse } from "../contract/errors.ts";

/** Requires exactly one of the two: a value, or the explicit statement that there is none. */
export function expectOne(field: string, value: unknown, instead: boolean, other = "never"): void {
  if ((value !== undefined) !== instead) return;
  const message = `Give either "${field}" or "${other}".`;
  throw new BelayError(refuse("invalid_input", message, { field }));
}
