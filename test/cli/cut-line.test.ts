import { describe, expect, it } from "vitest";
import { cutLine } from "../../src/doors/cli/show/cut-line.ts";
import { formatTable } from "../../src/doors/cli/show/table.ts";

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
    ["❤️❤️", 3, "❤️…"],
    ["1️⃣2️⃣", 4, "1️⃣2️⃣"],
    ["𝒜𝒜", 2, "𝒜𝒜"],
    ["𠀀𠀀", 3, "𠀀…"],
  ])("%s to %i columns", (line, columns, cut) => {
    expect(cutLine(line, columns)).toBe(cut);
  });
});

describe("a column", () => {
  it("is as wide as its widest cell is on a terminal", () => {
    const rows = ["❤️", "𝒜bc", "日本", "é"];
    const table = formatTable(
      rows,
      [
        { title: "a", cell: (row) => row },
        { title: "b", cell: () => "|" },
      ],
      80,
    );
    const before = table.split("\n").map((line) => line.split("|")[0] ?? "");
    expect(before.slice(1, -1)).toEqual(["❤️    ", "𝒜bc   ", "日本  ", "é     "]);
  });
});
