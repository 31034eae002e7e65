import type { Span } from "../../../../src/contract/past.ts";

/** The look of an item by its outcome; each also differs by shape or pattern, not only by color. */
export const LOOKS = ["done", "failed", "unknown", "running", "waiting", "stopped"] as const;
export type Look = (typeof LOOKS)[number];

/** The look of several items drawn as one: the one that a person should see first. */
export const BY_WEIGHT: readonly Look[] = [
  "unknown",
  "failed",
  "waiting",
  "running",
  "stopped",
  "done",
];

const STOPPED = new Set([
  "interrupted",
  "cancelled",
  "dropped",
  "expired",
  "rejected",
  "withdrawn",
]);
/** Outside agents use words of their own. */
const FAILED = /^(?:fail|error|denied|timed?.?out|crash|exception)/i;
/** Unexpected ends. */
const ABRUPT = new Set(["died", "dropped"]);

export function lookOf({ kind, status, unknown, to }: Span): Look {
  if (unknown) return "unknown";
  if (kind === "phase" || kind === "checkpoint") return "done";
  if (kind === "recovery") return status === "ok" ? "done" : "waiting";
  if (kind === "life") return endedAbruptly(status) ? "failed" : to === null ? "running" : "done";
  if (status !== null && STOPPED.has(status)) return "stopped";
  if (to === null) return kind === "approval" ? "waiting" : "running";
  return status !== null && FAILED.test(status) ? "failed" : "done";
}

export function endedAbruptly(status: string | null): boolean {
  return status !== null && ABRUPT.has(status);
}
