import { describe, expect, it } from "vitest";
import { cutLine } from "../../src/interfaces/cli/show/cut-line.ts";

describe("a line that is cut", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👍👍👍", 4, "👍…"],
    ["éé", 2, "éé"],
    ["abc", 0, "…"],
  ])("%s to %i columns", (line, columns, cut) => {
    expect(cutLine(line, columns)).toBe(cut);
  });
});
