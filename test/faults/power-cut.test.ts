import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Acknowledgement } from "../crash/acknowledgements.ts";
import { findLosses } from "../crash/find-losses.ts";
import { sampleSize } from "../crash/sample-size.ts";
import { say } from "../crash/say.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { chooseCuts, cutPower, findMissed, record, writeTogether } from "./cut-power.ts";
import { recorderProblem } from "./recorder.ts";

const root = realpathSync(temporaryFolder());
afterEach(() => vi.unstubAllEnvs());

/** The log of each store, whose sync makes a change durable. */
const stores = [
  ["sqlite", "belay.db-wal"],
  ["files", "commits.ndjson"],
] as const;

describe.each(stores)("a power cut while several programs write to %s", (kind, log) => {
  it(
    "loses nothing that was acknowledged, at whichever place it happens",
    async (context) => {
      if (recorderProblem !== null) return context.skip(recorderProblem);
      const run = await recordOn(kind, "honest");
      expect(findMissed(run)).toEqual([]);
      const trials = chooseCuts(run, sampleSize({ full: 200, sample: 10 }), 1);
      const lost = await cutPower(run, trials, join(root, "disk"), look);
      say(`${trials.length} disks after a power cut on ${kind}: ${lost.length} with losses`);
      expect(lost).toEqual([]);
    },
    LIMIT_MS,
  );

  it("control: losses are found if the disk ignores the syncs of the log", async (context) => {
    if (recorderProblem !== null) return context.skip(recorderProblem);
    const run = await recordOn(kind, "unsynced");
    const trials = chooseCuts(run, 3, 2).filter(({ contents }) => contents === "none");
    const lost = await cutPower(run, trials, join(root, "disk"), look, (name) => name === log);
    expect(lost).toHaveLength(trials.length);
  });
});

const LIMIT_MS = sampleSize({ full: 60, sample: 5 }) * 60_000;

async function recordOn(kind: string, name: string) {
  vi.stubEnv("BELAY_STORE", kind);
  const folder = join(root, `${kind}-${name}`);
  const place = { root: join(folder, "recorded"), notes: join(folder, "notes") };
  mkdirSync(place.root, { recursive: true });
  const rounds = sampleSize({ full: 6, sample: 2 });
  return record(place, () => writeTogether(place, { BELAY_STORE: kind }, rounds));
}

/** A store that cannot be opened has lost everything. */
async function look(
  home: string,
  promises: readonly Acknowledgement[],
): Promise<readonly string[]> {
  try {
    return (await findLosses(home, promises)).problems;
  } catch (error) {
    return [String(error)];
  }
}
