import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, root } from "./list-files.ts";

const longest = 400;
const fullest = 30;
const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|d))?\.[a-z]+$/;
const saysNothing = /(?:^|[/-])(?:utils?|helpers?|common|managers?|misc|v2)(?=[/.])/;

const hook = /^(?:after|before)(?:All|Each)\(/m;

const files = listFiles("src");

describe("the files of src", () => {
  it(`stay within ${longest} lines`, () => {
    const tooLong = files.filter((file) => file.endsWith(".ts") && countLines(file) > longest);
    expect(tooLong).toEqual([]);
  });

  it("are kebab-case", () => {
    expect(files.filter((file) => !isKebabCase(file))).toEqual([]);
  });

  it("are named after their contents", () => {
    expect(files.filter((file) => saysNothing.test(file))).toEqual([]);
  });
});

describe("the rooms of src", () => {
  it(`hold at most ${fullest} files each`, () => {
    expect(roomsOver(files, fullest)).toEqual([]);
  });

  it("are counted without their subfolders", () => {
    expect(roomsOver(["src/a/b.ts", "src/a/c.ts", "src/a/d/e.ts"], 1)).toEqual(["src/a"]);
  });
});

describe("the labs of the tests", () => {
  it("register no hooks when they are loaded, because files that share a process load them once", () => {
    const labs = listFiles("test").filter((file) => /(?<!\.test)\.ts$/.test(file));
    const hooking = labs.filter((file) => hook.test(readFileSync(join(root, file), "utf8")));
    // Its files have a process each.
    expect(hooking).toEqual(["test/browser/open-browser.ts", "test/register-clean-up.ts"]);
  });
});

describe("the patterns", () => {
  it.each(["src/core/a-b.ts", "src/store/sqlite/0001-init.sql", "src/core/a.test.ts"])(
    "allow %s",
    (file) => expect([isKebabCase(file), saysNothing.test(file)]).toEqual([true, false]),
  );

  it.each(["src/core/aB.ts", "src/core/A.ts", "src/core/a_b.ts"])("reject %s", (file) =>
    expect(isKebabCase(file)).toBe(false),
  );

  it.each(["src/utils.ts", "src/core/id-helpers.ts", "src/common/a.ts", "src/session-manager.ts"])(
    "reject %s",
    (file) => expect(saysNothing.test(file)).toBe(true),
  );
});

function roomsOver(all: readonly string[], most: number): string[] {
  const rooms = Map.groupBy(all, (file) => file.slice(0, file.lastIndexOf("/")));
  return [...rooms].flatMap(([room, inside]) => (inside.length > most ? [room] : []));
}

function isKebabCase(file: string): boolean {
  return kebabCase.test(file.slice(file.lastIndexOf("/") + 1));
}

function countLines(file: string): number {
  return readText(file).trimEnd().split("\n").length;
}

function readText(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
