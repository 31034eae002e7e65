import { describe, expect, it } from "vitest";
import { readOptions, toOutcome, toRequest } from "../../../src/agent/acp/permissions.ts";

const CALL = {
  tool_call_id: "c",
  title: "t",
  tool_kind: "execute",
  status: "pending",
  input: null,
  output: null,
  paths: [],
  diffs: [],
} as const;
const ask = (options: unknown) => toRequest(CALL, readOptions(options));
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const CANCELLED = { outcome: { outcome: "cancelled" } };
const once = (optionId: unknown, name: unknown = "Yes", kind: unknown = "allow_once") => ({
  optionId,
  name,
  kind,
});

describe("the options of a request", () => {
  it("keep the agent's words, ids and order", () => {
    const { options, missing } = ask([
      once("b", "No, keep planning", "reject_once"),
      once("a", "Yes, and use auto mode", "allow_always"),
    ]);
    expect(options).toEqual([
      { option_id: "b", name: "No, keep planning", kind: "reject_once" },
      { option_id: "a", name: "Yes, and use auto mode", kind: "allow_always" },
    ]);
    expect(missing).toBe(0);
  });

  it("get another id in place of one that nobody could type, which means the agent's own", () => {
    const ids = ["", "yes", "yes", "x".repeat(201), "a\u202eb", "a\tb", " ", "a\u0000"];
    const offered = readOptions(ids.map((id) => once(id)));
    const shown = toRequest(CALL, offered).options.map(({ option_id }) => option_id);
    expect(shown).toEqual(ids.map((id, n) => (n === 1 ? id : `option-${n + 1}`)));
    expect(shown.map((option_id) => toOutcome({ option_id }, offered))).toEqual(ids.map(selected));
  });

  it("never get an id that another option has", () => {
    const shown = ask([once(""), once("option-1"), once(""), once("option-3")]).options;
    expect(shown.map(({ option_id }) => option_id)).toEqual([
      "option-5",
      "option-1",
      "option-7",
      "option-3",
    ]);
  });

  it("have visible names of at most 200 characters, or their id", () => {
    const [long, turned, none, blank, lines] = ask([
      once("a", "x".repeat(10_000)),
      once("b", "Reject \u202egnihton"),
      { optionId: "c", kind: "allow_once" },
      once("d", " \n "),
      once("e", "Yes\nand more"),
    ]).options.map(({ name }) => name);
    expect(long).toMatch(/^x+ … 9,\d{3} characters hidden … x+$/);
    expect(long?.length).toBeLessThanOrEqual(200);
    expect([turned, none, blank, lines]).toEqual([
      "Reject ⟦U+202E⟧gnihton",
      "c",
      "d",
      "Yes ↵ and more",
    ]);
  });

  it("are at most fifty, and the rest is counted", () => {
    const list = (count: number) => Array.from({ length: count }, (_, n) => once(`o${n}`));
    expect(ask(list(50)).missing).toBe(0);
    const { options, missing } = ask(list(60));
    expect([options.length, missing]).toEqual([50, 10]);
  });

  it("have the kind other if theirs is unknown, and are left out without an id", () => {
    expect(ask([once("a", "A", "allow_for_the_boss"), once(5), {}, null]).options).toEqual([
      { option_id: "a", name: "A", kind: "other" },
    ]);
    expect(ask("none")).toMatchObject({ options: [], missing: 0 });
  });

  it("with a name of many direction marks are read at once", () => {
    const started = performance.now();
    ask([once("a", "\u202e".repeat(4_000_000))]);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

describe("an answer", () => {
  it("is cancelled without an option, or with one that was not offered", () => {
    const offered = readOptions([once("a")]);
    expect(toOutcome(null, offered)).toEqual(CANCELLED);
    expect(toOutcome({ option_id: "b" }, offered)).toEqual(CANCELLED);
  });

  it("that rejects is never an id which also approves", () => {
    const offered = readOptions([once("same"), once("same", "No", "reject_once")]);
    expect(toOutcome({ option_id: "option-2" }, offered)).toEqual(CANCELLED);
    expect(toOutcome({ option_id: "same" }, offered)).toEqual(selected("same"));
  });
});
