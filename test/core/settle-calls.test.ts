import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { SessionHead } from "../../src/contract/head.ts";
import { settleCalls } from "../../src/core/recovery/plan-recovery.ts";
import type { OpenCall } from "../../src/core/session/open-call.ts";
import { judgeCall } from "../../src/core/session/open-call.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { play } from "./session-log.ts";

const call: OpenCall = {
  action_id: "action-1",
  turn_id: "turn-1",
  title: "execute: deploy",
  effects: "unknown",
  awaited_leave: false,
};
const settle = (head: SessionHead, calls: readonly OpenCall[]) =>
  settleCalls(head, calls, "approval-new");
const typesOf = (commands: readonly SessionCommand[]) => commands.map(({ type }) => type);

describe("open tool calls of a dead agent", () => {
  it.each([
    [{ effects: "none" }, "repeatable"],
    [{ effects: "local" }, "repeatable"],
    [{ effects: "remote" }, "unknown"],
    [{ effects: "unknown" }, "unknown"],
    [{ effects: "remote", awaited_leave: true }, "never_ran"],
    [{ effects: "none", awaited_leave: true }, "never_ran"],
  ] as const)("a call with %o: %s", (given, outcome) => {
    expect(judgeCall({ ...call, ...given })).toBe(outcome);
  });

  it("get one result each: the question expires, the call is interrupted, the turn ends", () => {
    const { head } = working();
    const { commands, question } = settle(head, [{ ...call, awaited_leave: true }]);
    expect(commands).toEqual([
      {
        type: "expire_approval",
        approval_id: "approval-1",
        reason: "interrupted; the agent will ask again",
      },
      {
        type: "complete_action",
        action_id: "action-1",
        status: "interrupted",
        result: "interrupted",
        details: { title: "execute: deploy", outcome: "never_ran", means: "it did not run" },
      },
      { type: "end_turn", turn_id: "turn-1", outcome: "interrupted", error: null, usage: null },
      {
        type: "note_recovered",
        status: "ok",
        steps: [
          { action_id: "action-1", type: "tool call", title: "execute: deploy", step: "rerun" },
        ],
        next_step: "execute: deploy",
      },
    ]);
    expect(question).toBeNull();
    const settled = play(working(), commands).head;
    expect(settled).toMatchObject({ turn: null, actions: [], approvals: [], status: "active" });
    expect(settled.queue).toHaveLength(1);
    expect(settle(settled, [])).toEqual({ commands: [], question: null });
  });

  it("record the agent's death only if an agent ran", () => {
    const { commands } = settle(sessionIn("active").head, []);
    expect(commands).toEqual([]);
    const running = play(sessionIn("active"), [EXAMPLE.note_agent_started]).head;
    expect(settle(running, []).commands).toMatchObject([
      { type: "note_agent_stopped", reason: "died" },
      { type: "note_recovered", status: "ok", steps: [] },
    ]);
  });

  it("lead to a question for each unknown outcome, and no others", () => {
    const calls = [
      call,
      { ...call, action_id: "action-2", effects: "local" },
      { ...call, action_id: "action-3", awaited_leave: true },
    ] as const;
    const { question } = settle(working().head, calls);
    expect(question).toMatchObject({ kind: "recovery", action_id: "action-1", awaited: false });
    expect(question?.body?.match(/^- .*$/gm)).toEqual([
      "- execute: deploy (effects: unknown): it may already have changed something outside this machine",
    ]);
  });

  it("do not include actions outside a turn", () => {
    const { commands } = settle(working().head, [{ ...call, turn_id: null }]);
    expect(typesOf(commands)).not.toContain("complete_action");
  });

  it("do not close a question that no process waits for", () => {
    const log = play(working(), [
      { ...EXAMPLE.request_approval, approval_id: "approval-2", awaited: false },
    ]);
    const expired = settle(log.head, []).commands.flatMap((command) =>
      command.type === "expire_approval" ? [command.approval_id] : [],
    );
    expect(expired).toEqual(["approval-1"]);
  });
});
