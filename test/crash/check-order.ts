import type { Step } from "./read-trace.ts";

/**
 * For each acknowledgement, checks that log, fsync and anchor came before it, in this order; a sentence for each
 * failure.
 */
export function checkOrder(steps: readonly Step[]): { ordered: number; problems: string[] } {
  const problems: string[] = [];
  let ordered = 0;
  steps.forEach((step, at) => {
    if (step.kind !== "acknowledged") return;
    const problem = findProblem(steps, at, step.version);
    if (problem === null) ordered += 1;
    else problems.push(`version ${step.version}: ${problem}`);
  });
  return { ordered, problems };
}

function findProblem(steps: readonly Step[], acknowledged: number, version: number): string | null {
  const anchored = steps.findIndex((step) => step.kind === "anchored" && step.seq >= version);
  if (anchored === -1 || anchored > acknowledged) return "acknowledged before it was anchored";
  const written = lastBefore(steps, anchored, "log written");
  if (written <= lastBefore(steps, anchored, "anchored")) return "anchored before it was written";
  if (lastBefore(steps, anchored, "log synced") < written) return "anchored before it was synced";
  return null;
}

function lastBefore(steps: readonly Step[], before: number, kind: Step["kind"]): number {
  return steps.findLastIndex((step, at) => at < before && step.kind === kind);
}
