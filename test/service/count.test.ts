import { expect, it } from "vitest";
import { as, onMemory } from "./on-memory.ts";

it("counts the sessions of one owner by status, and their open questions", async () => {
  const { service, caller } = onMemory();
  const bob = as("bob", "cli");
  for (const session_id of ["new-1", "work-1", "ask-1", "ask-2", "done-1", "fail-1", "old-1"]) {
    await service.call("create", { agent_name: "a", session_id }, caller);
  }
  await service.call("update", { id: "work-1", phase: "planning" }, caller);
  await service.call("finalize", { id: "done-1", outcome: "completed" }, caller);
  await service.call("finalize", { id: "fail-1", outcome: "failed" }, caller);
  await service.call("archive", { id: "old-1" }, caller);
  for (const id of ["ask-1", "ask-1", "ask-2"]) {
    await service.call("request_approval", { id, title: "May I?" }, caller);
  }
  const none = { created: 0, active: 0, suspended: 0, completed: 0, failed: 0 };
  const rest = { cancelled: 0, archived: 0 };
  expect(await service.call("count", {}, bob)).toEqual({
    by_status: { ...none, ...rest },
    badge: 0,
    waiting: 0,
  });
  const by_status = { created: 1, active: 1, suspended: 2, completed: 1, failed: 1 };
  expect(await service.call("count", {}, caller)).toEqual({
    by_status: { ...by_status, cancelled: 0, archived: 1 },
    badge: 5,
    waiting: 3,
  });
  const { approvals } = await service.call("list_approvals", {}, caller);
  expect(approvals).toHaveLength(3);

  // A session in the trash is not counted until it is restored.
  await service.call("delete", { id: "ask-1" }, caller);
  const counts = await service.call("count", {}, caller);
  expect([counts.by_status.suspended, counts.badge, counts.waiting]).toEqual([1, 4, 1]);
  await service.call("undelete", { id: "ask-1" }, caller);
  expect((await service.call("count", {}, caller)).waiting).toBe(3);
  const [first] = approvals;
  const answer = { approval_id: first?.approval_id ?? "", decision: "approved" };
  await service.call("decide_approval", answer, caller);
  expect((await service.call("count", {}, caller)).waiting).toBe(2);
});
