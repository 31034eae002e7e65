import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fullest } from "./fullest-session.ts";
import { headBytes } from "./head-invariants.ts";
import { anyStep, live } from "./session-life.ts";

const BOUND = 8192;

describe("the head of a session stays under 8 KB", () => {
  it("after 10,000 random commands", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        let events = 0;
        let largest = 0;
        const steps = fc.sample(anyStep, { seed, numRuns: 10_000 });
        // Forks share everything, so that the history only grows.
        const growing = steps.map((step) =>
          step.command.type === "fork" ? { ...step, aim: 0 } : step,
        );
        live({ crowded: false, steps: growing }, ({ after }) => {
          events = Math.max(events, after.seq);
          largest = Math.max(largest, headBytes(after.head));
        });
        expect(largest).toBeLessThanOrEqual(BOUND);
        expect(events).toBeGreaterThan(1000);
      }),
      { numRuns: 1, endOnFailure: true },
    );
  });

  it.each([
    ["plain letters", "x"],
    ["letters of two bytes", "é"],
    ["letters of three bytes", "語"],
    ["pictures of four bytes", "😀"],
    ["quotes, which JSON escapes", '"'],
    ["backslashes, which JSON escapes", "\\"],
    ["NUL, which JSON writes with six bytes", "\0"],
    ["half characters, which JSON writes with six bytes", "\ud800"],
  ])("when every text and every list is as long as it may be, in %s", (_, filler) => {
    expect(headBytes(fullest(filler))).toBeLessThanOrEqual(BOUND);
  });
});
