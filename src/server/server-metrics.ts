import { Counter, Gauge, type Registry } from "prom-client";
import type { ChoreListener } from "./chores/chores.ts";

/** A metric that another part counts, read on demand. */
export function countBy(
  registry: Registry,
  { name, help, read }: { readonly name: string; readonly help: string; read(): number },
): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Counts and times every run of the chores. */
export function observeChores(registry: Registry, log: ChoreListener["log"]): ChoreListener {
  const registers = [registry];
  const runs = new Counter({
    name: "belay_chore_runs_total",
    help: "Runs of the server's chores",
    labelNames: ["chore", "outcome"],
    registers,
  });
  const done = new Counter({
    name: "belay_chore_done_total",
    help: "Results of these runs",
    labelNames: ["chore", "what"],
    registers,
  });
  const took = new Gauge({
    name: "belay_chore_last_seconds",
    help: "How long the last run took",
    labelNames: ["chore"],
    registers,
  });
  return {
    log,
    observe(chore, outcome, ms, counts) {
      runs.inc({ chore, outcome });
      took.set({ chore }, ms / 1000);
      for (const [what, count] of Object.entries(counts)) done.inc({ chore, what }, count);
    },
  };
}
