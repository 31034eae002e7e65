import { BelayError, refuse } from "../contract/errors.ts";

/** The answer to a backup into a folder that exists. */
export function refuseExisting(path: string): BelayError {
  const message = `${path} already exists, and a backup never overwrites anything. Choose a folder that does not exist.`;
  return new BelayError(refuse("invalid_input", message, { path }));
}
