import { expect, it } from "vitest";
import { iso } from "../../src/core/view/view-session.ts";

it("writes times as toISOString does", () => {
  const days = [
    0, -1, 1, 59_999, 86_399_999, 86_400_000, -86_400_001, 253_402_300_800_000, 8.64e15,
  ];
  const spread = Array.from({ length: 500 }, (_, n) => n * 7_777_777_777_777 - 1e15 + n);
  for (const at of [...days, ...spread, 1.5, -0.5])
    expect(iso(at)).toBe(new Date(at).toISOString());
  expect(() => iso(Number.NaN)).toThrow(RangeError);
  expect(() => iso(8.64e15 + 1)).toThrow(RangeError);
});
