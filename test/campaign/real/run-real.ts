import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bundles } from "../bundle-campaign.ts";
import type { ControlName } from "../controls.ts";
import { CONTROLS } from "../controls.ts";
import type { Tally } from "../tally.ts";
import { addTallies, emptyTally } from "../tally.ts";
import { runLane } from "./lane.ts";

export interface RealShare {
  readonly seed: number;
  readonly lanes: number;
  readonly milliseconds: number;
  /** The least number of deaths, however long they take. */
  readonly deaths?: number;
  /** In each data folder. */
  readonly sessions?: number;
}

/** The real deaths, in several data folders at once. Folders with a violation are kept. */
export async function runReal(
  bundles: Bundles,
  { seed, lanes, milliseconds, deaths = 0, ...rest }: RealShare,
  onProgress: (tally: Tally) => void,
): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), "belay-killed-"));
  const until = performance.now() + milliseconds;
  const tallies = Array.from({ length: lanes }, emptyTally);
  await Promise.all(
    tallies.map(async (_, nth) => {
      const isTimeUp = (): boolean =>
        performance.now() > until && addTallies(tallies).deaths >= deaths;
      const name = `lane-${nth + 1}`;
      const lane = { ...rest, bundles, folder, isTimeUp, seed: seed + nth * 7919, name };
      tallies[nth] = await runLane(lane, (tally) => {
        tallies[nth] = tally;
        onProgress(addTallies(tallies));
      });
    }),
  );
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
  return addTallies(tallies);
}

/** A stale driver needs a paused process, which only the simulated machine has. */
export const REAL_CONTROLS = [
  "the effect comes before its intent",
  "recovery repeats what is unknown",
  "a key is made anew for each try",
  "results are acknowledged and not kept",
] as const satisfies readonly ControlName[];

const MOST_FOLDERS = 12;

/** How often each broken setup was caught, until it is caught the first time. */
export async function runRealControls(
  bundles: Bundles,
  seed: number,
  names: readonly ControlName[] = REAL_CONTROLS,
  sessions?: number,
): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), "belay-control-"));
  const caught: Record<string, number> = {};
  for (const control of names) {
    let [folders, found] = [0, 0];
    const isTimeUp = (): boolean => {
      folders += 1;
      return found > 0 || folders > MOST_FOLDERS;
    };
    const lane = { bundles, folder, seed, isTimeUp, control, name: "control" };
    await runLane({ ...lane, ...(sessions !== undefined && { sessions }) }, (tally) => {
      found = tally[CONTROLS[control].shows];
    });
    caught[control] = found;
  }
  rmSync(folder, { recursive: true, force: true });
  return caught;
}
