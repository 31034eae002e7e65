import { describe, expect, it } from "vitest";
import { findUnnamedOperations } from "../../scripts/print-library.ts";

describe("the library", () => {
  it("has a method for every operation", () => {
    expect(findUnnamedOperations()).toEqual([]);
  });
});
