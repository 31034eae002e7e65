import type { RecoveredAction } from "../../../src/contract/recovery.ts";
import type { RecoveryStatus, RecoveryStep } from "../../../src/contract/vocabulary.ts";

interface StepWords {
  /** What will be done. */
  readonly plan: string;
  /** What was made of it. */
  readonly past: string;
  readonly asks: boolean;
}

export const STEP_WORDS = {
  proceed: { plan: "It is done: go on", past: "was done", asks: false },
  wait: { plan: "Wait for it to end", past: "left to end by itself", asks: false },
  leave: { plan: "Leave it running", past: "left running", asks: false },
  leave_and_ask: {
    plan: "Left running: you decide",
    past: "left running, a person was asked",
    asks: true,
  },
  rerun: { plan: "It may be repeated", past: "may be repeated", asks: false },
  rerun_with_key: {
    plan: "It may be repeated under the same key",
    past: "may be repeated under its key",
    asks: false,
  },
  ask: { plan: "You decide: it is not repeated", past: "a person was asked", asks: true },
  retry: { plan: "It may be tried again", past: "may be tried again", asks: false },
  review: { plan: "You decide: it failed", past: "a person was asked", asks: true },
} as const satisfies Record<RecoveryStep, StepWords>;

export const STATUS_WORDS = {
  ok: ["nothing to decide", "bg-good-soft text-good"],
  "manual-review": ["a person was asked", "bg-accent-soft text-accent"],
  "required-rollback": ["rolled back", "bg-info-soft text-info"],
} as const satisfies Record<RecoveryStatus, readonly [string, string]>;

export function processWords({ process, pid }: Pick<RecoveredAction, "process" | "pid">): string {
  if (pid === null) return "No process of its own is known";
  switch (process) {
    case "alive":
      return `Process ${pid} still runs`;
    case "gone":
      return `Process ${pid} is gone`;
    case "unproven":
      return `A process ${pid} runs, but nothing proves that it is the same one`;
    default:
      return process satisfies never;
  }
}

/** As a sentence of its own. */
export function sentence(text: string): string {
  const whole = /[.!?]$/.test(text) ? text : `${text}.`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}
