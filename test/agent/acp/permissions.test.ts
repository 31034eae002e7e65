import { describe, expect, it } from "vitest";
import { readOptions, toOutcome } from "../../../src/agent/acp/permissions.ts";
import type { PermissionAnswer } from "../../../src/agent/agent-connection.ts";

const offer = (...kinds: string[]) =>
  readOptions(kinds.map((kind) => ({ optionId: `id of ${kind}`, name: kind, kind })));
const chosen = (kind: string) => ({
  outcome: { outcome: "selected", optionId: `id of ${kind}` },
});
const cancelled = { outcome: { outcome: "cancelled" } };

describe("an answer", () => {
  it.each<[PermissionAnswer["kind"], string[], object]>([
    ["allow_once", ["allow_always", "allow_once"], chosen("allow_once")],
    ["allow_once", ["reject_once", "allow_always"], chosen("allow_always")],
    ["allow_always", ["allow_once", "reject_once"], chosen("allow_once")],
    ["allow_once", ["reject_once", "reject_always"], cancelled],
    ["reject_once", ["allow_once", "reject_always"], chosen("reject_always")],
    ["reject_always", ["reject_once"], chosen("reject_once")],
    ["reject_once", ["allow_once", "allow_always"], cancelled],
    ["cancelled", ["allow_once", "reject_once"], cancelled],
    ["allow_once", [], cancelled],
  ])("%s, of %j", (kind, kinds, outcome) => {
    expect(toOutcome({ kind }, offer(...kinds))).toEqual(outcome);
  });

  it("is never an option of an unknown kind", () => {
    expect(offer("allow_for_the_boss")).toEqual([]);
    expect(readOptions("none")).toEqual([]);
    expect(readOptions([{ kind: "allow_once" }])).toEqual([]);
  });
});
