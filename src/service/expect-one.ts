import { BelayError, refuse } from "../contract/errors.ts";

/** Either a value or that there is none: nothing is guessed from a field that was left out. */
export function expectOne(field: string, value: unknown, instead: boolean, other = "never"): void {
  if ((value !== undefined) !== instead) return;
  const message = `Give either ${field} or ${other}.`;
  throw new BelayError(refuse("invalid_input", message, { field }));
}
