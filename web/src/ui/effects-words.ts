import { SWITCHES_MODE } from "../../../src/contract/approval/choice-words.ts";
import type { Effects } from "../../../src/contract/vocabulary.ts";

import { switchesMode } from "../../../src/core/session/choose-option.ts";

/** The effects of an action, in words. */
export const EFFECTS_WORDS = {
  none: "changes nothing",
  local: "may change files on this machine",
  remote: "may change things outside this machine",
  unknown: "effects unknown: could change anything",
} as const satisfies Record<Effects, string>;

/** The effects of a tool call. One that switches the agent's mode changes no file, but what happens next. */
export function describeEffects(tool: string, effects: Effects): string {
  return switchesMode("", tool) ? SWITCHES_MODE : EFFECTS_WORDS[effects];
}
