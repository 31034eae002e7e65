import { BelayError, refuse } from "../../contract/errors.ts";
import { readUntil } from "../../contract/read-instant.ts";
import type { ServiceContext } from "../service-context.ts";

/** Throws if the time is in the past. */
export function expectFuture({ now }: Pick<ServiceContext, "now">, until: string): number {
  const at = readUntil(until, now());
  if (at > now()) return at;
  const message = `until: must be in the future, not ${until}`;
  throw new BelayError(refuse("invalid_input", message, { field: "until" }));
}
