import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTROLS, type Control } from "./controls.ts";
import { FAULTS, type FaultName } from "./faults.ts";
import { judgeWorld } from "./judge-world.ts";
import { playWorld, Threads } from "./world.ts";

let threads: Threads;
beforeAll(async () => {
  threads = await Threads.start();
});
afterAll(() => threads.end());

/** All kinds of faults in turn. `npm run simulate` draws more, and prints the history of one. */
const WORLDS = 120;

describe("a simulated world", () => {
  it("loses, doubles and reorders nothing that a store in files has acknowledged", () => {
    const problems: Record<number, string[]> = {};
    for (let seed = 0; seed < WORLDS; seed += 1) {
      const found = judgeWorld(playWorld(threads, seed));
      if (found.length > 0) problems[seed] = found;
    }
    expect(problems).toEqual({});
  });

  it("is the same for the same seed", () => {
    const digest = (seed: number) => playWorld(threads, seed, { onLine: () => {} }).digest;
    for (const seed of [1, 2, 3, 4, 5]) expect(digest(seed)).toBe(digest(seed));
  });

  const controls = CONTROLS.filter((control) => control !== "none");
  it.each(controls)("control: is seen to fail with %s", (control) => {
    const seeds = seedsOf(SHOWN_BY[control] ?? "cut");
    const isFound = (seed: number) => judgeWorld(playWorld(threads, seed, { control })).length > 0;
    expect(seeds.some(isFound)).toBe(true);
  });
});

/** The fault that shows what is broken; a power cut for most. */
const SHOWN_BY: Partial<Record<Control, FaultName>> = {
  "stale index": "none",
  "commits not checked": "swap",
  "lock not checked": "none",
};

function seedsOf(fault: FaultName): number[] {
  return Array.from({ length: 40 }, (_, n) => n * FAULTS.length + FAULTS.indexOf(fault));
}
