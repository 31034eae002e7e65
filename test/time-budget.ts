import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Seconds of test time for each folder of test/, with four workers on 2 cores. All of `npm test` should take less than
 * 15 minutes. Before you raise one, look for tests to share, sample, or move to a command of their own.
 */
const BUDGET: Readonly<Record<string, number>> = {
  agent: 130,
  chores: 15,
  cli: 125,
  conformance: 130,
  crash: 400,
  faults: 90,
  graphql: 110,
  guide: 40,
  hooks: 80,
  http: 200,
  import: 45,
  library: 70,
  mcp: 60,
  nodes: 115,
  parity: 95,
  postgres: 215,
  property: 65,
  run: 145,
  sealed: 35,
  security: 190,
  serve: 110,
  service: 75,
  simulation: 60,
  web: 400,
  webhooks: 60,
};
const REST = 20;
/** A slow machine is slow for all folders; one that exceeds its budget by this factor more than the others fails. */
const FAILS_AT = 3;

/** Prints the time of each folder next to its budget. */
export default class TimeBudget implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const root = import.meta.dirname;
    const took = new Map<string, number>();
    for (const module of modules) {
      const [folder = ""] = relative(root, module.moduleId).split("/");
      took.set(folder, (took.get(folder) ?? 0) + module.diagnostic().duration / 1000);
    }
    const allowed = sum([...took.keys()].map(budgetOf));
    const slowness = Math.max(1, sum([...took.values()]) / allowed);
    const lines = [...took]
      .sort(([, a], [, b]) => b - a)
      .map(([folder, seconds]) => judge(folder, seconds, slowness));
    process.stdout.write(
      `Seconds of test time by folder, and their budget:\n${lines.join("\n")}\n`,
    );
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function budgetOf(folder: string): number {
  return BUDGET[folder] ?? REST;
}

function judge(folder: string, seconds: number, slowness: number): string {
  const budget = budgetOf(folder);
  const fails = seconds > FAILS_AT * slowness * budget;
  if (fails) process.exitCode = 1;
  const verdict = fails ? "  FAR TOO MUCH" : seconds > budget ? "  too much" : "";
  return `${folder.padEnd(14)}${seconds.toFixed(0).padStart(5)}${`${budget}`.padStart(7)}${verdict}`;
}
