import type { Activity } from "../../../src/contract/vocabulary.ts";

/** Each activity looks different. An interrupted session is not a failed one: its work can continue. */
export const ACTIVITY_LOOKS = {
  working: "bg-good-soft text-good",
  idle: "bg-info-soft text-info",
  needs_you: "bg-accent-soft text-accent",
  failed: "bg-bad-soft text-bad",
  interrupted: "border border-dashed border-bad text-bad",
  suspended: "bg-warn-soft text-warn",
  done: "bg-raised text-soft",
} as const satisfies Record<Activity, string>;
