import { expect, it } from "vitest";
import { AgentFailure } from "../../src/agent/agent-connection.ts";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import { judgeTurn } from "../../src/drive/run/turn-end.ts";

const CANCELLED = { stop: "cancelled", usage: null } as const;

it("a turn that its agent cancels by itself is interrupted", () => {
  expect(judgeTurn(CANCELLED, null)).toMatchObject({ outcome: "interrupted", died: false });
  expect(judgeTurn(CANCELLED, "interrupt")).toMatchObject({ outcome: "cancelled", error: null });
});

it("control: a turn that its agent ends is completed", () => {
  expect(judgeTurn({ stop: "end_turn", usage: null }, null)).toMatchObject({
    outcome: "completed",
  });
});

it("a turn is continued if the node or its database failed, and fails if the agent did", () => {
  const judge = (failure: Error) => judgeTurn({ failure }, null);
  const cut = { outcome: "interrupted", continues: true };
  expect(judge(new AgentFailure("expired", "its time is over"))).toMatchObject(cut);
  expect(judge(new BelayError(refuse("storage_unreachable", "it is away")))).toMatchObject(cut);
  expect(judgeTurn(CANCELLED, "unstored")).toMatchObject(cut);
  const failed = { outcome: "failed", continues: false };
  expect(judge(new AgentFailure("exited", "it crashed"))).toMatchObject({ ...failed, died: true });
  expect(judge(new BelayError(refuse("agents_busy", "too many")))).toMatchObject(failed);
});
