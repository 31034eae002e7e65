import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { sessionIn } from "./session-in.ts";
import { perform, play } from "./session-log.ts";

const annotate = (metadata: Record<string, unknown>): SessionCommand => ({
  type: "annotate",
  metadata,
});
const tags = { value: ["terraform", "infrastructure"] };

describe("metadata", () => {
  it("merges shallowly: top-level keys replace", () => {
    const { head } = play(sessionIn("active"), [
      annotate({ findings: { a: 1, b: 2 }, note: "x" }),
      annotate({ findings: { c: 3 } }),
    ]);
    expect(head.metadata).toEqual({
      tags,
      findings: { value: { c: 3 } },
      note: { value: "x" },
    });
  });

  it("stores null as a value", () => {
    expect(play(sessionIn("active"), [annotate({ note: null })]).head.metadata).toEqual({
      tags,
      note: { value: null },
    });
  });

  it("holds a value of up to 128 bytes, and refers to the event of a larger one", () => {
    const log = play(sessionIn("active"), [
      annotate({ small: "x".repeat(126), large: "x".repeat(127) }),
    ]);
    expect(log.head.metadata).toEqual({
      tags,
      small: { value: "x".repeat(126) },
      large: { seq: log.seq },
    });
  });

  it("counts bytes, not characters", () => {
    const log = play(sessionIn("active"), [annotate({ note: "é".repeat(64) })]);
    expect(log.head.metadata).toMatchObject({ note: { seq: log.seq } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a key of 65 bytes", { ["k".repeat(65)]: 1 }, "too_large"],
    [
      "more than 128 keys",
      Object.fromEntries(Array.from({ length: 128 }, (_, nth) => [`key-${nth}`, "0123456789"])),
      "limit_reached",
    ],
    [
      "a key that is none",
      Object.fromEntries([["__proto__", { polluted: true }]]),
      "invalid_input",
    ],
  ])("refuses %s", (_, metadata, error) => {
    expect(perform(sessionIn("active"), annotate(metadata))).toMatchObject({ error });
  });

  it("accepts a value of any size", () => {
    const log = sessionIn("active");
    expect(perform(log, annotate({ report: "x".repeat(100_000) }))).not.toHaveProperty("error");
  });
});
