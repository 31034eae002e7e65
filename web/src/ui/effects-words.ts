import type { Effects } from "../../../src/contract/vocabulary.ts";

/** The effects of an action, in words. */
export const EFFECTS_WORDS = {
  none: "changes nothing",
  local: "may change files on this machine",
  remote: "may change things outside this machine",
  unknown: "effects unknown: could change anything",
} as const satisfies Record<Effects, string>;
