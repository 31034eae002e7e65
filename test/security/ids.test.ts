import { describe, expect, it } from "vitest";
import { as, onMemory } from "../service/on-memory.ts";

describe("a session whose id equals the entity id of another", () => {
  it("never replaces it, also not for approvals", async () => {
    const { service, caller } = onMemory();
    const create = { agent_name: "a", session_id: "victim" };
    const victim = await service.call("create", create, caller);
    const asked = { id: "victim", title: "May I?" };
    const { approval_id } = await service.call("request_approval", asked, caller);
    const same = { agent_name: "b", session_id: victim.entity_id };
    await expect(service.call("create", same, caller)).rejects.toMatchObject({
      code: "session_exists",
    });
    // Another owner may use the same name: neither can access the other's.
    const bob = as("bob", "cli");
    await service.call("create", same, bob);
    const id = victim.entity_id;
    expect((await service.call("get", { id }, caller)).session_id).toBe("victim");
    expect((await service.call("get", { id }, bob)).session_id).toBe(id);
    await service.call("rename", { id, title: "mine" }, bob);
    const decided = { approval_id, decision: "approved" };
    expect(await service.call("decide_approval", decided, caller)).toMatchObject({
      session_id: "victim",
    });
    expect((await service.call("get", { id: "victim" }, caller)).title).toBeNull();
  });

  it("may have any other id of that form", async () => {
    const { service, caller } = onMemory();
    // An id that only looks like one, like those of Claude Code's own sessions.
    const session_id = "0f0e0d0c-0b0a-4908-8706-050403020100";
    await service.call("create", { agent_name: "a", session_id }, caller);
    await service.call("update", { id: session_id, phase: "planning" }, caller);
    expect((await service.call("get", { id: session_id }, caller)).phase).toBe("planning");
  });
});
