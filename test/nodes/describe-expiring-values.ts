import { describe, expect, it } from "vitest";
import { type ExpiringValues, MOST_VALUES } from "../../src/store/expiring-values.ts";

interface ValuesUnderTest {
  readonly values: ExpiringValues;
  /** Lets this time pass. */
  pass(ms: number): Promise<unknown>;
  /** Adds this many values of a kind. */
  fill(kind: string, count: number): Promise<unknown>;
}

/** The claims that all expiring values must meet. */
export function describeExpiringValues(under: () => ValuesUnderTest): void {
  describe("an expiring value", () => {
    it("can be read until it expires", async () => {
      const { values, pass } = under();
      await values.add("a", "short", "text", 60_000);
      expect(await values.read("a", "short")).toBe("text");
      expect(await values.read("b", "short")).toBeNull();
      await pass(60_000);
      expect(await values.read("a", "short")).toBeNull();
      expect(await values.replace("a", "short", "text", "other")).toBe(false);
      expect(await values.take("a", "short")).toBeNull();
    });

    it("is replaced only while it is the expected one", async () => {
      const { values } = under();
      await values.add("a", "changed", "one", 60_000);
      const results = await Promise.all(
        ["two", "three"].map((text) => values.replace("a", "changed", "one", text)),
      );
      expect(results.toSorted()).toEqual([false, true]);
      expect(await values.read("a", "changed")).toBe(results[0] ? "two" : "three");
    });

    it("is taken by one of several callers", async () => {
      const { values } = under();
      await values.add("a", "once", "text", 60_000);
      const taken = await Promise.all(Array.from({ length: 5 }, () => values.take("a", "once")));
      expect(taken.filter((value) => value !== null)).toEqual(["text"]);
    });

    it("is dropped if there are too many newer ones of its kind", async () => {
      const { values, fill } = under();
      await values.add("other", "key", "stays", 60_000);
      for (const key of ["first", "second"]) await values.add("many", key, "text", 60_000);
      await fill("many", MOST_VALUES - 2);
      expect(await values.read("many", "first")).toBe("text");
      await values.add("many", "last", "text", 60_000);
      expect(await values.read("many", "first")).toBeNull();
      expect(await values.read("many", "second")).toBe("text");
      expect(await values.read("many", "last")).toBe("text");
      expect(await values.read("other", "key")).toBe("stays");
    });
  });
}
