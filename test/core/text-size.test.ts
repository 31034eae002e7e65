import { describe, expect, it } from "vitest";
import { cutText, jsonBytes, textBytes } from "../../src/core/text-size.ts";

describe("cutText", () => {
  it.each([
    ["leaves what fits", "abcdef", 6, "abcdef"],
    ["cuts what does not and says so", "abcdefg", 6, "abc…"],
    ["never splits a character", "😀😀😀", 11, "😀😀…"],
    ["counts what JSON makes of a character", "\0\0\0", 9, "\0…"],
    ["counts quotes twice", '""""', 7, '""…'],
    ["leaves nothing but the mark of what never fits", "😀😀", 3, "…"],
  ])("%s", (_, text, bytes, cut) => {
    expect(cutText(text, bytes)).toBe(cut);
    expect(jsonBytes(cut) - 2).toBeLessThanOrEqual(bytes);
  });
});

it("bytes are counted in UTF-8", () => {
  expect(["a", "é", "€", "😀"].map(textBytes)).toEqual([1, 2, 3, 4]);
});

it("a value that JSON cannot express has no size", () => {
  expect(jsonBytes(undefined)).toBe(0);
});
