import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, root } from "./list-files.ts";
import { misnamed, unusedExports } from "./read-exports.ts";

/** The entry points of other programs: the binary, the hooks, and the package's exports. */
const ENTRIES =
  /^src\/(?:(?:main|hook|hook-path|hook-zlib|index)|doors\/library\/(?:store|conformance|operations))\.ts$/;

const folders = ["src", "web/src", "test", "bench", "scripts", "examples"];
const sources = new Map(
  folders
    .flatMap(listFiles)
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file))
    .map((file) => [file, readFileSync(join(root, file), "utf8")] as const),
);

describe("the exports of src", () => {
  it("are each imported by another file", () => {
    const unused = unusedExports(sources).filter(
      (line) => line.startsWith("src/") && !ENTRIES.test(line.split(" ")[0] ?? ""),
    );
    expect(unused).toEqual([]);
  });

  it.each([
    ["export const a = 1;", "", ["src/a.ts a"]],
    ["export async function a() {}", `import { b } from "./a.ts";`, ["src/a.ts a"]],
    ["interface A {}\nexport type { A };", "", ["src/a.ts A"]],
    ["export const a = 1;", `import { a as other } from "./a.ts";`, []],
    ["export interface A {}", `import { type A } from "./a.ts";`, []],
    ["export class A {}", `export { A } from "./a.ts";`, ["src/b.ts A"]],
    ["export const a = 1;", `import * as all from "./a.ts";`, []],
    ["export const one = 1;", `const { one } = await import("./a.ts");`, []],
    ["export const one = 1;", `const { two } = await import("./a.ts");`, ["src/a.ts one"]],
  ])("are found: %s taken by %s", (a, b, unused) => {
    const files = new Map([
      ["src/a.ts", a],
      ["src/b.ts", b],
    ]);
    expect(unusedExports(files)).toEqual(unused);
  });
});

/** Files that are not named after an export, each with a reason. */
const OTHERWISE_NAMED: readonly RegExp[] = [
  // Entry points and composition roots are named after their program.
  /^src\/(?:main|hook|hook-crypto|hook-path|hook-zlib|index|compose-\w+)\.ts$/,
  /^src\/doors\/library\/(?:store|conformance)\.ts$/,
  // Migrations are named by their order.
  /\/migrations\/\d{4}-/,
  // Commands and their formatters are exported under the words that people type.
  /^src\/doors\/cli\/(?:commands|show)\//,
  // Schemas and row types, with one constant.
  /^src\/contract\/(?:commands|stream)\.ts$/,
  // The broken stores of the suite.
  /^src\/store\/conformance\/faulty-stores\.ts$/,
];

describe("a file of src with one value", () => {
  it("is named after an export, or after what its factory makes", () => {
    const files = [...sources].filter(
      ([file]) => file.startsWith("src/") && !OTHERWISE_NAMED.some((known) => known.test(file)),
    );
    expect(files.flatMap(([file, text]) => misnamed(file, text) ?? [])).toEqual([]);
  });

  it.each([
    ["src/read-log.ts", "export function readLog() {}", null],
    ["src/log.ts", "export function readLog() {}", "src/log.ts is not named after readLog"],
    ["src/log.ts", "export function openLog() {}", null],
    ["src/log.ts", "export interface Log {}\nexport const EMPTY = 1;", null],
    ["src/logs.ts", "export const a = 1;\nexport const b = 1;", null],
  ])("%s: %s", (file, text, answer) => expect(misnamed(file, text)).toBe(answer));
});
