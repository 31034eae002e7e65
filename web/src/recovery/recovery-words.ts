import type { RecoveredAction } from "../../../src/contract/recovery.ts";
import type { RecoveryStatus, RecoveryStep } from "../../../src/contract/vocabulary.ts";

interface StepWords {
  /** The planned step in words. */
  readonly plan: string;
  /** The finished step in words. */
  readonly past: string;
  readonly asks: boolean;
}

export const STEP_WORDS = {
  proceed: { plan: "Done: continue", past: "was done", asks: false },
  wait: { plan: "Wait until it ends", past: "waited until it ended", asks: false },
  leave: { plan: "Leave it running", past: "left running", asks: false },
  leave_and_ask: {
    plan: "Left running: you decide",
    past: "left running, your decision needed",
    asks: true,
  },
  rerun: { plan: "May run again", past: "may run again", asks: false },
  rerun_with_key: {
    plan: "May run again with the same key",
    past: "may run again with the same key",
    asks: false,
  },
  ask: { plan: "You decide: it does not run again", past: "your decision needed", asks: true },
  retry: { plan: "May be retried", past: "may be retried", asks: false },
  review: { plan: "You decide: it failed", past: "your decision needed", asks: true },
} as const satisfies Record<RecoveryStep, StepWords>;

export const STATUS_WORDS = {
  ok: ["nothing to decide", "bg-good-soft text-good"],
  "manual-review": ["your decision needed", "bg-accent-soft text-accent"],
  "required-rollback": ["rolled back", "bg-info-soft text-info"],
} as const satisfies Record<RecoveryStatus, readonly [string, string]>;

export function processWords({ process, pid }: Pick<RecoveredAction, "process" | "pid">): string {
  if (pid === null) return "Process unknown";
  switch (process) {
    case "alive":
      return `Process ${pid} is still running`;
    case "gone":
      return `Process ${pid} ended`;
    case "unproven":
      return `Process ${pid} runs, but may be another program`;
    default:
      return process satisfies never;
  }
}
