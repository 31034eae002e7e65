import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readGuide } from "./read-guide.ts";

const folder = mkdtempSync(join(tmpdir(), "belay-library-guide-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAM = /^## (.+)$|^```ts\n([\s\S]*?)^```$\n\n```text\n([\s\S]*?)^```$/gm;
const SOURCES = {
  "belay-sessions": "../../src/index.ts",
  "belay-sessions/store": "../../src/doors/library/store.ts",
};

describe("the guide to the library", () => {
  const programs = listPrograms(readGuide("docs/guide/library.md"));

  it("has an example for each of its chapters", () => {
    expect(programs.map(({ title }) => title)).toHaveLength(5);
  });

  it.each(programs)("contains a working program: $title", ({ title, program, promised }) => {
    const file = join(folder, `${title.replaceAll(/\W+/g, "-")}.ts`);
    writeFileSync(file, withSources(program));
    const env = { ...process.env, BELAY_HOME: join(folder, title) };
    expect(execFileSync(process.execPath, [file], { env, encoding: "utf8" })).toBe(promised);
  });
});

function listPrograms(text: string) {
  let title = "";
  return [...text.matchAll(PROGRAM)].flatMap(([, heading, program, promised]) => {
    title = heading ?? title;
    return program && promised ? [{ title, program, promised }] : [];
  });
}

function withSources(program: string): string {
  return Object.entries(SOURCES).reduce((text, [name, path]) => {
    return text.replaceAll(`"${name}"`, JSON.stringify(new URL(path, import.meta.url).href));
  }, program);
}
