import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BelayError } from "../../src/contract/errors.ts";
import { readJson } from "../../src/doors/http/read-json.ts";
import { cpuTimeOf } from "../cpu-time.ts";

const MIB = 1024 * 1024;

describe("a body of JSON", () => {
  it("is read like JSON.parse, which also decides what is refused", () => {
    const text = fc.oneof(
      fc.json(),
      fc.json().chain((json) => cutOrChanged(json)),
      fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789-+.eE\\untrfalse \n\u0000é') }),
    );
    fc.assert(
      fc.property(text, (json) => {
        const expected = attempt(() => JSON.parse(json));
        const read = attempt(() => readJson(Buffer.from(json)));
        // Only these refusals go beyond invalid JSON.
        if (!read.ok && expected.ok)
          expect(read.why).toMatch(/twice|__proto__|valid JSON number|nested/);
        else expect(read).toEqual(expected.ok ? expected : expect.objectContaining({ ok: false }));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', "a key appears twice in one object", 7],
    ['{"a":1,"\\u0061":2}', "a key appears twice in one object", 7],
    ['[{"b":{"a":1,"a":1}}]', "a key appears twice in one object", 13],
    ['{"__proto__":{}}', 'a key cannot be "__proto__"', 1],
    ['{"a":{"\\u005f_proto__":1}}', 'a key cannot be "__proto__"', 6],
    ['{"a":1e999}', "this is not a valid JSON number", 5],
    ['{"a":01}', "this is not a valid JSON number", 5],
    ['{"a":}', "a value is missing", 5],
    ['{"a" 1}', "a colon is missing", 5],
    ["[1 2]", "a comma is missing", 3],
    ["[1,]", "a value is missing", 3],
    ['{"a":1,}', "a key is missing", 7],
    ["{} {}", "there is text after the end of the JSON", 3],
    ['"\\x"', "invalid escape sequence", 1],
    ['"a\nb"', "a string contains a control character", 2],
    ['{"a":"', "the JSON ends too early", 6],
    ["", "the JSON ends too early", 0],
    ["\ufeff{}", "a value is missing", 0],
  ])("%j is refused with the position of its fault", (json, message, position) => {
    expect(refusal(Buffer.from(json))).toEqual({
      error: "invalid_input",
      message: `Invalid JSON at position ${position}: ${message}.`,
      details: { position },
    });
  });

  it("may have one key in several objects, and escaped empty strings", () => {
    const json = '{"a":{"a":[{"a":1},{"a":"\\u0000"}]},"proto":1,"b":{"__proto":null}}';
    expect(readJson(Buffer.from(json))).toEqual(JSON.parse(json));
  });

  it("is refused if it is not UTF-8", () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expect(refusal(Buffer.from(bytes))?.message).toContain("UTF-8");
    }
  });

  it("may be nested 64 levels deep, and no deeper", () => {
    expect(readJson(Buffer.from("[".repeat(64) + "]".repeat(64)))).toBeDefined();
    expect(refusal(Buffer.from("[".repeat(65) + "]".repeat(65)))?.details).toEqual({
      position: 64,
    });
  });
});

describe("the time that a body takes", () => {
  it.each([
    ["100,000 lists in each other", "[".repeat(100_000)],
    ["100,000 objects in each other", '{"a":'.repeat(100_000)],
    ["8 MiB of brackets", "[".repeat(8 * MIB)],
  ])("is very short for %s", async (_, json) => {
    expect(await cpuTimeOf(() => refusal(Buffer.from(json)))).toBeLessThan(300);
  });

  it.each([
    ["one text", `"${"a".repeat(8 * MIB - 2)}"`],
    ["escapes", `"${"\\u0061".repeat((8 * MIB) / 6 - 1)}"`],
    ["backslashes", `"${"\\\\".repeat(4 * MIB - 1)}"`],
    ["one number", "1".repeat(300) + ".".padEnd(8 * MIB - 300, "1")],
    ["spaces", `${" ".repeat(8 * MIB - 2)}{}`],
    ["small numbers", `[${"1,".repeat(4 * MIB - 2)}1]`],
    ["an unclosed text of quotes", `"${'\\"'.repeat(4 * MIB - 1)}`],
    ["different keys", `{${Array.from({ length: 600_000 }, (_, at) => `"key${at}":1`).join(",")}}`],
  ])("is that of 8 MiB for %s", async (_, json) => {
    // Many times the usual time, so that only a superlinear parser fails.
    expect(await cpuTimeOf(() => attempt(() => readJson(Buffer.from(json))))).toBeLessThan(3000);
  });
});

function cutOrChanged(json: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(json.length), fc.constantFrom("", ",", '"', "}", "]", "\\", "0", ":", "e"))
    .map(([at, put]) => json.slice(0, at) + put + json.slice(at + 1));
}

function attempt(read: () => unknown) {
  try {
    return { ok: true, value: read() } as const;
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : String(error) } as const;
  }
}

function refusal(body: Buffer) {
  try {
    readJson(body);
  } catch (error) {
    return error instanceof BelayError ? error.toJSON() : undefined;
  }
  return undefined;
}
