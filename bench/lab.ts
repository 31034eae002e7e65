import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Contender, OpenContender } from "./contender.ts";
import { type Measurements, type Metric, record } from "./measurements.ts";
import type { Scale } from "./scale.ts";

/** The parameters of every measurement. */
export interface Lab {
  readonly contenders: readonly Contender[];
  readonly scale: Scale;
  readonly measurements: Measurements;
  progress(line: string): void;
}

/** One contender, open in its own fresh folder. */
export interface Entrant {
  readonly name: string;
  readonly store: OpenContender;
  record(metric: Metric, value: number): void;
}

/** Opens the given contenders, runs the work, and always removes everything they wrote. */
export async function withEntrants(
  lab: Lab,
  contenders: readonly Contender[],
  use: (entrants: readonly Entrant[]) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const entrants: Entrant[] = [];
  try {
    for (const [index, contender] of contenders.entries()) {
      const folder = join(root, String(index));
      mkdirSync(folder);
      entrants.push({
        name: contender.name,
        store: await contender.open(folder),
        record: (metric, value) => record(lab.measurements, contender.name, metric, value),
      });
    }
    await use(entrants);
  } finally {
    for (const { store } of entrants) await store.close();
    rmSync(root, { recursive: true, force: true });
    settleDeletion();
  }
}

/** Deleting 2 GB is work for the file system's journal, which the next fsync of another store would wait for. */
function settleDeletion(): void {
  const folder = openSync(tmpdir(), "r");
  fsyncSync(folder);
  closeSync(folder);
}

/** Every entrant once per round, in rotating order, so that none always runs after the same neighbour. */
export async function alternate<Item>(
  entrants: readonly Item[],
  rounds: number,
  measure: (entrant: Item, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? entrants : entrants.toReversed();
    for (const entrant of order) await measure(entrant, round);
  }
}

export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The time of each call, for latencies, of which the median is needed and not the sum. */
export async function eachMs(
  calls: number,
  work: (call: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) times.push(await elapsedMs(() => work(call)));
  return times;
}
