import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeWorld } from "./judge-world.ts";
import { playWorld, Threads } from "./world.ts";

let threads: Threads;
beforeAll(async () => {
  threads = await Threads.start();
});
afterAll(() => threads.end());

/** Found by `npm run simulate`: each of these worlds broke an earlier version. */
const FROM = 0;
const WORLDS = 120;

describe("a simulated world", () => {
  it("loses, doubles and reorders nothing that a store in files has acknowledged", () => {
    const problems: Record<number, string[]> = {};
    for (let seed = FROM; seed < FROM + WORLDS; seed += 1) {
      const found = judgeWorld(playWorld(threads, seed));
      if (found.length > 0) problems[seed] = found;
    }
    expect(problems).toEqual({});
  });

  it("is the same for the same seed", () => {
    const digest = (seed: number) => playWorld(threads, seed, () => {}).digest;
    for (const seed of [1, 2, 3, 4, 5]) expect(digest(seed)).toBe(digest(seed));
  });
});
