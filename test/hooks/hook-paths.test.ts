import * as path from "node:path";
import { describe, expect, it } from "vitest";
import { basename, dirname, isAbsolute, join, resolve, sep } from "../../src/hook-path.ts";

const NAMES = [
  "",
  ".",
  "..",
  "/",
  "a",
  "a/",
  "/a",
  "/a/b",
  "a//b",
  "./a",
  "../a",
  "a/.",
  "a/..",
  "/.a",
  "a/.b/c",
  "..a",
];

describe("the replacement of node:path in the hooks' bundle", () => {
  it.each(NAMES)("does the same with %j, alone and before every other name", (first) => {
    expect(dirname(first)).toBe(path.dirname(first));
    expect(isAbsolute(first)).toBe(path.isAbsolute(first));
    expect(basename(first)).toBe(path.basename(first));
    expect(basename(first, "a")).toBe(path.basename(first, "a"));
    expect(resolve(first)).toBe(path.resolve(first));
    expect(join(first)).toBe(path.join(first));
    for (const second of NAMES) {
      expect(join(first, second)).toBe(path.join(first, second));
      expect(join(first, second, "z")).toBe(path.join(first, second, "z"));
      expect(resolve(first, second)).toBe(path.resolve(first, second));
    }
  });

  it("does the same with nothing", () => {
    expect(join()).toBe(path.join());
    expect(resolve()).toBe(path.resolve());
    expect(sep).toBe(path.sep);
  });
});
