import { expect, it } from "vitest";
import { RequestPace } from "../../src/doors/http/login/request-pace.ts";

let now = 1_000_000;
const newPace = () => new RequestPace({ each: 2, all: 3, span_ms: 60_000 }, () => now);
const allows = (pace: RequestPace, ...callers: string[]) =>
  callers.map((caller) => {
    try {
      pace.take(caller);
      return true;
    } catch {
      return false;
    }
  });

it("limits each caller and all of them, until the span is over", () => {
  const pace = newPace();
  expect(allows(pace, "a", "a", "a", "b", "b", "c")).toEqual([
    ...[true, true, false, true],
    ...[false, false],
  ]);
  now += 60_000;
  expect(allows(pace, "a", "c")).toEqual([true, true]);
  // The clock was set back by an hour.
  now -= 3_600_000;
  expect(allows(pace, "a", "a", "a")).toEqual([true, true, false]);
});

it("says when the next request is allowed, and does not count what was given back", () => {
  const pace = newPace();
  for (let nth = 0; nth < 10; nth += 1) {
    pace.take("a");
    pace.giveBack("a");
  }
  expect(allows(pace, "a", "a")).toEqual([true, true]);
  now += 50_500;
  expect(() => pace.take("a")).toThrow("Try again in 10 s.");
});
