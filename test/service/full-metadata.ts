import { LIMITS } from "../../src/contract/limits.ts";
import type { Session } from "../../src/contract/session.ts";

/** As many more keys as the session accepts, far more than its head can hold. */
export function fullMetadata({ metadata }: Pick<Session, "metadata">): Record<string, string> {
  const left = LIMITS.METADATA_KEYS - Object.keys(metadata).length;
  const keys = Array.from({ length: left }, (_, nth) => `key-${nth}`.padEnd(40, "."));
  return Object.fromEntries(keys.map((key) => [key, "short"]));
}
