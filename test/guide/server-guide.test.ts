import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endAll, newPlace, type RealServer, serve } from "../serve/server-process.ts";
import { runExample } from "./guide-lab.ts";
import { between, findBroken, listExamples, readGuide } from "./read-guide.ts";

const place = newPlace();
let server: RealServer;
beforeAll(async () => {
  server = await serve(place);
});
afterAll(async () => {
  await server.end();
  await endAll();
  place.remove();
});

const GUIDES = [
  ["docs/guide/server.md", listExamples(readGuide("docs/guide/server.md"))],
  ["README.md", listExamples(between(readGuide("README.md"), "server"))],
] as const;

describe.each(GUIDES)("%s", (file, examples) => {
  it("has examples", () => {
    expect(examples).not.toEqual([]);
  });

  it.each(examples)("line $line does what it says", async ({ script, promises, line }) => {
    const { code, stdout, stderr } = await runExample(server, script);
    expect([`${file}:${line}`, code, stderr]).toEqual([`${file}:${line}`, 0, ""]);
    expect(stdout).not.toBe("");
    // curl exits with 0 on a refusal unless it is told otherwise.
    expect(stdout).not.toMatch(/"error":\s*"/);
    expect(findBroken(stdout, promises)).toEqual([]);
  });
});

describe("an example's promise", () => {
  const text =
    '```bash\ncurl\n```\n\n```text\n{"a": ... 2}\nb\n```\n\n```bash\nls\n```\n\nno\n```text\nx\n```\n';

  it("is the text block that follows directly", () => {
    expect(listExamples(text)).toMatchObject([
      { line: 1, script: "curl\n", promises: ['{"a": ... 2}', "b"] },
      { script: "ls\n", promises: [] },
    ]);
  });

  it("fails on missing lines, or lines in another order", () => {
    expect(findBroken('{"a": 1, 2}\nb', ['{"a": ... 2}', "b"])).toEqual([]);
    expect(findBroken('b\n{"a": 1, 2}', ['{"a": ... 2}', "b"])).toEqual(["b"]);
    expect(findBroken('{"a": 1,\n2}', ['{"a": ... 2}'])).toEqual(['{"a": ... 2}']);
  });
});
