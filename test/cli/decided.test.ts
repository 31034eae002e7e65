import { afterAll, expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";

const place = newPlace();
afterAll(() => place.remove());

it("belay reads back what was decided, and warns before an open approval is passed over", async () => {
  const { belay } = place;
  await belay("create", "--agent", "architect", "--id", "agent-123");
  await belay("update", "agent-123", "--phase", "planning");
  const asked = await belay("approvals", "request", "agent-123", "Apply it?", "--json");
  const id = String(Object(asked.json).approval_id);
  const early = await belay("update", "agent-123", "--phase", "executing", "--json");
  expect(early).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Warning: agent-123 has 1 open approval."),
    json: { phase: "executing", warnings: [expect.stringContaining("Wait for the answer")] },
  });
  await belay("update", "agent-123", "--phase", "planning");
  expect((await belay("approvals", "--decided")).stdout).toBe("No decided approvals.\n");
  await belay("approve", id, "--note", "only eu-west");

  const shown = /approved by user:\S+ through cli, [\d-]+ [\d:]+: only eu-west/;
  for (const args of [
    ["get", "agent-123"],
    ["should-resume", "agent-123"],
    ["approvals", "--decided"],
    ["approvals", "--decided", "--session", "agent-123"],
    ["approvals", "--approval-id", id],
  ])
    expect((await belay(...args)).stdout).toMatch(shown);
  expect((await belay("approvals")).stdout).toBe("No open approvals.\n");
  expect(await belay("approvals", "--approval-id", id.slice(0, 8))).toMatchObject({ code: 3 });

  const late = await belay("update", "agent-123", "--phase", "executing", "--json");
  expect(late).toMatchObject({ code: 0, stderr: "", json: { decisions: [] } });
});
