import { describe, expect, it } from "vitest";
import { seededRandom } from "../crash/seeded-random.ts";
import { mutate, seedsOf } from "./mutate.ts";
import { type FuzzTarget, TARGETS } from "./targets.ts";

/** A slice of `npm run fuzz` that is the same each time: the whole corpus, and some inputs that are like it. */
const INPUTS = 200;

describe.each([...Object.entries<FuzzTarget>(TARGETS)])("%s", (name, target) => {
  it("keeps its promises to whatever it meets", async () => {
    const seeds = seedsOf(name);
    expect(seeds.length).toBeGreaterThan(0);
    const random = seededRandom(20_261_115);
    const inputs = [...seeds, ...Array.from({ length: INPUTS }, () => mutate(seeds, random))];
    for (const input of inputs) await target(input, random(input.length + 1));
  });
});
