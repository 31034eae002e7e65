import type { Effects } from "../../../src/contract/vocabulary.ts";

/** What an action may change, in words. */
export const EFFECTS_WORDS = {
  none: "changes nothing",
  local: "may change files on this machine",
  remote: "may change things outside of this machine",
  unknown: "may change anything: nobody said what",
} as const satisfies Record<Effects, string>;
