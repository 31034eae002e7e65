import { deepStrictEqual, ok } from "node:assert/strict";
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

/** Parsers with one fault each, of the kind that the real ones were written to avoid. */
const PLANTED: Readonly<Record<string, { readonly like: string; readonly target: FuzzTarget }>> = {
  "takes text that is no JSON": {
    like: "json",
    target: (input) => {
      const text = input.toString();
      if (/^\s*[{[]/.test(text)) JSON.parse(text);
    },
  },
  "tears a character where the stream is cut": {
    like: "acp",
    target: (input, cut) => {
      const parts = [input.subarray(0, cut), input.subarray(cut)].map(String);
      deepStrictEqual(parts.join(""), input.toString());
    },
  },
  "reads a field of what is none": {
    like: "hook",
    target: (input) => {
      const { error, value } = parse(input.toString());
      if (!error) ok(Object(value).session_id.length > 0);
    },
  },
};

describe("a planted fault", () => {
  it.each(Object.entries(PLANTED))("is found soon: %s", async (_, { like, target }) => {
    const seeds = seedsOf(like);
    const random = seededRandom(20_261_116);
    const find = async () => {
      for (let n = 0; n < 20_000; n += 1) {
        const input = mutate(seeds, random);
        try {
          await target(input, random(input.length + 1));
        } catch {
          return n;
        }
      }
      return null;
    };
    expect(await find()).not.toBeNull();
  });
});

function parse(text: string): { readonly value?: unknown; readonly error?: unknown } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error };
  }
}
