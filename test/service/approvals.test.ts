import { describe, expect, it } from "vitest";
import { viewAction } from "../../src/core/view/view-action.ts";
import { onMemory } from "./on-memory.ts";

describe("a question", () => {
  it("from outside has no action, and is answered and listed like others", async () => {
    const { service, caller } = onMemory();
    const session = { agent_name: "a", session_id: "asking-1", title: "Move it" };
    await service.call("create", session, caller);
    await service.call("begin_action", { id: "asking-1", type: "deploy" }, caller);
    const question = { id: "asking-1", title: "Apply it?", body: "to production" };
    const asked = await service.call("request_approval", question, caller);
    expect(asked).toMatchObject({ action: null, rollback: [], session_title: "Move it" });
    const { approvals } = await service.call("list_approvals", {}, caller);
    expect(approvals).toEqual([asked]);
    expect((await service.call("next", {}, caller)).approvals).toEqual([asked]);
  });
});

describe("the action of a question", () => {
  const view = (details: unknown) =>
    viewAction({
      place: 3,
      nth: 0,
      seq: 3,
      key: "edit",
      data: { action_id: "x-1", type: "edit", effects: "local", details },
    });

  it("is shown with its latest description", () => {
    const diffs = [{ path: "/srv/a", before: null, after: "new" }];
    expect(view({ title: "Edit a", input: { file: "a" }, diffs })).toEqual({
      action_id: "x-1",
      type: "edit",
      title: "Edit a",
      effects: "local",
      input: { file: "a" },
      diffs,
    });
    expect(view({})).toMatchObject({ title: "edit", input: null, diffs: [] });
    expect(view(undefined)).toMatchObject({ title: "edit", input: null, diffs: [] });
  });

  it("is shortened in the middle if it is long, with a mark", () => {
    const long = `${"x".repeat(49_999)}y`;
    const shown = view({
      input: { command: long },
      diffs: Array.from({ length: 150 }, (_, n) => ({ path: `${n}`, before: long, after: long })),
    });
    expect(shown.input).toMatch(/^\{"command":"x+ … 41,\d{3} characters hidden … x+y"\}$/);
    expect(shown.diffs[0]?.before).toMatch(/^x+ … 41,\d{3} characters hidden … x+y$/);
    expect(shown.diffs).toHaveLength(101);
    expect(shown.diffs.at(-1)?.path).toBe("[cut: 50 more]");
    expect(shown.diffs[99]?.after).toBe("x … 49,998 characters hidden … y");
    expect(JSON.stringify(shown).length).toBeLessThan(60_000);
  });

  it("shows the changed part of a long file", () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `line ${n}`);
    const diff = { path: "a", before: lines.join("\n"), after: lines.with(4000, "new").join("\n") };
    const around = (line: string) =>
      `[3997 lines alike]\nline 3997\nline 3998\nline 3999\n${line}\nline 4001\nline 4002\nline 4003\n[996 lines alike]`;
    expect(view({ diffs: [diff] }).diffs).toEqual([
      { path: "a", before: around("line 4000"), after: around("new") },
    ]);
  });

  it("is never cut inside a character", () => {
    const { input } = view({ input: `a${"\u{1f9ca}".repeat(9000)}` });
    expect(String(input).isWellFormed()).toBe(true);
  });
});
