import { expect, it } from "vitest";
import { judgeTurn } from "../../src/drive/run/turn-end.ts";

const CANCELLED = { stop: "cancelled", usage: null } as const;

it("a turn that its agent stops by itself, as one that is killed may, is interrupted", () => {
  expect(judgeTurn(CANCELLED, null)).toMatchObject({ outcome: "interrupted", died: false });
  expect(judgeTurn(CANCELLED, "interrupt")).toMatchObject({ outcome: "cancelled", error: null });
});

it("would be caught: a turn that its agent says it has ended is completed", () => {
  expect(judgeTurn({ stop: "end_turn", usage: null }, null)).toMatchObject({
    outcome: "completed",
  });
});
