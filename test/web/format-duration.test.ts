import { expect, it } from "vitest";
import {
  formatDuration,
  formatDurationShort,
} from "../../web/src/timeline/time/format-duration.ts";

it.each([
  [0, "0 ms"],
  [999.4, "999 ms"],
  [1500, "1.5 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_599_000, "59 min 59 s"],
  [3_600_000, "1 h"],
  [90_000_000, "1 d 1 h"],
])("formats %s ms as %s", (ms, told) => {
  expect(formatDuration(ms)).toBe(told);
});

it.each([
  [5000, "5s"],
  [600_000, "10m"],
  [20 * 3_600_000, "20h"],
  [3 * 86_400_000, "3d"],
])("formats %s ms in short as %s", (ms, told) => {
  expect(formatDurationShort(ms)).toBe(told);
});
