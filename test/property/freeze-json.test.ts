import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freezeJson, freezeParsed } from "../../src/store/freeze-json.ts";

const anything = fc.oneof(fc.jsonValue(), fc.object({ withBigInt: false, withDate: true }));

describe("a value that is frozen as JSON", () => {
  it("equals its JSON round trip, and cannot be altered", () => {
    fc.assert(
      fc.property(anything, anything, (value, other) => {
        const known = freezeJson(other, null);
        const frozen = freezeJson(value, known);
        expect(frozen).toStrictEqual(throughJson(value));
        expect(isFrozen(frozen)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("shares only identical parts with the previous value, and does not change its input", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (kept, added) => {
        const before = freezeParsed(throughJson({ kept, list: [kept] }));
        const given = { ...(isObject(before) ? before : {}), added: { deep: [added] } };
        const frozen = freezeJson(given, before);
        expect(frozen).toStrictEqual(throughJson(given));
        expect(isObject(frozen) && isObject(before) && frozen.list === before.list).toBe(true);
        given.added.deep.push("later");
        expect(JSON.stringify(frozen)).not.toContain("later");
      }),
      { numRuns: 100 },
    );
  });

  it("may have keys of prototypes, but no values that JSON cannot express", () => {
    const hostile: unknown = JSON.parse('{"__proto__":{"a":1},"b":-0,"c":[null]}');
    expect(JSON.stringify(freezeJson(hostile, {}))).toBe(JSON.stringify(hostile));
    expect(() => freezeJson({ big: 1n }, null)).toThrow(TypeError);
    expect(freezeJson(undefined, null)).toBeNull();
  });
});

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

function isFrozen(value: unknown): boolean {
  return !isObject(value) || (Object.isFrozen(value) && Object.values(value).every(isFrozen));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
