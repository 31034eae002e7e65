import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Seconds of test time for each folder of test/, on 2 cores. All of `npm test` should take less than 15 minutes. Before
 * you raise one, look for tests to share, sample, or move to a command of their own.
 */
const BUDGET: Readonly<Record<string, number>> = {
  agent: 130,
  chores: 15,
  cli: 120,
  conformance: 110,
  crash: 280,
  graphql: 100,
  guide: 40,
  hooks: 60,
  http: 220,
  import: 50,
  library: 50,
  mcp: 70,
  parity: 90,
  postgres: 80,
  property: 70,
  run: 150,
  security: 110,
  serve: 110,
  service: 80,
  web: 380,
  webhooks: 70,
};
const REST = 20;
/** A machine may be slow, but not by this factor. */
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
    const lines = [...took]
      .sort(([, a], [, b]) => b - a)
      .map(([folder, seconds]) => judge(folder, seconds));
    process.stdout.write(
      `Seconds of test time by folder, and their budget:\n${lines.join("\n")}\n`,
    );
  }
}

function judge(folder: string, seconds: number): string {
  const budget = BUDGET[folder] ?? REST;
  if (seconds > FAILS_AT * budget) process.exitCode = 1;
  const verdict =
    seconds > FAILS_AT * budget ? "  FAR TOO MUCH" : seconds > budget ? "  too much" : "";
  return `${folder.padEnd(14)}${seconds.toFixed(0).padStart(5)}${`${budget}`.padStart(7)}${verdict}`;
}
