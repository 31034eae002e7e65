import { expect, it } from "vitest";
import { checkpoint } from "../../src/interfaces/cli/show/show.ts";

it("a checkpoint is shown with its whole state, however long", () => {
  const state = { branch: "fix", files: Array.from({ length: 50 }, (_, nth) => `file-${nth}`) };
  const shown = checkpoint({
    name: "tests_passing",
    checkpoint_id: "c1",
    timestamp: "2026-01-08T18:00:00.000Z",
    state,
  });
  expect(JSON.parse(shown.slice(shown.indexOf("{")))).toEqual(state);
});
