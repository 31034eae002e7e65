import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  findUnnamedOperations,
  printBinding,
  printOperationTypes,
} from "../../scripts/print-library.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the library's types", () => {
  it("match the table of operations (if not: npm run write:library)", () => {
    expect(read("operations.ts")).toBe(format(printOperationTypes()));
    expect(read("bind-operations.ts")).toBe(format(printBinding()));
  });

  it("name every operation", () => {
    expect(findUnnamedOperations()).toEqual([]);
  });
});

function read(name: string): string {
  return readFileSync(`${root}src/library/${name}`, "utf8");
}

function format(text: string): string {
  const biome = `${root}node_modules/.bin/biome`;
  return execFileSync(biome, ["format", "--stdin-file-path=src/library/a.ts"], {
    cwd: root,
    input: text,
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
}
