import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

describe("the session tool's quick start", () => {
  it("creates, updates, checks, lists, finalizes and cleans up as documented", async () => {
    const { belay } = place;
    const created = await belay(
      "create",
      "--agent",
      "terraform-architect",
      "--purpose",
      "approval_workflow",
      "--json",
    );
    expect(created.code).toBe(0);
    expect(created.json).toMatchObject({
      agent_name: "terraform-architect",
      purpose: "approval_workflow",
      phase: "initializing",
      status: "created",
      resume_ready: true,
      history: [],
      error_count: 0,
      last_error: null,
    });
    const id = idIn(created.json);
    expect(id).toMatch(/^agent-\d{8}-\d{6}-[0-9a-f]{8}$/);

    const updated = await belay("update", id, "--phase", "approval", "--json");
    expect(updated.json).toMatchObject({
      phase: "approval",
      status: "active",
      history: [{ from_phase: "initializing", to_phase: "approval" }],
    });

    const advice = await belay("should-resume", id, "--json");
    expect(advice).toMatchObject({
      code: 0,
      json: { should_resume: true, reason: "session_resumable" },
    });

    const active = await belay("list", "--active-only");
    expect(active.stdout).toContain(id);
    const byAgent = await belay("list", "--agent", "terraform-architect", "--json");
    expect(byAgent.json).toMatchObject({ sessions: [{ session_id: id }], next_cursor: null });
    expect((await belay("list", "--agent", "someone-else", "--json")).json).toMatchObject({
      sessions: [],
    });

    const finalized = await belay("finalize", id, "completed", "--json");
    expect(finalized.json).toMatchObject({
      phase: "completed",
      status: "completed",
      resume_ready: false,
    });
    const after = await belay("should-resume", id, "--json");
    expect(after).toMatchObject({ code: 1, json: { should_resume: false } });
    expect((await belay("list", "--active-only", "--json")).json).toMatchObject({ sessions: [] });

    const cleaned = await belay("cleanup", "--hours", "24", "--json");
    expect(cleaned).toMatchObject({ code: 0, json: { removed: [], purged: [] } });
    expect((await belay("get", id, "--json")).json).toMatchObject({ session_id: id });
  });

  it("does not revive a finished session, and does not exit 0 on a failure", async () => {
    const { belay } = place;
    await belay("create", "--agent", "a", "--purpose", "p", "--id", "done-1");
    await belay("finalize", "done-1", "failed", "--summary", "no luck");
    const before = await belay("get", "done-1", "--json");
    for (const args of [
      ["update", "done-1", "--phase", "investigating"],
      ["finalize", "done-1", "completed"],
      ["resume", "done-1"],
    ]) {
      const ran = await belay(...args, "--json");
      expect(ran).toMatchObject({ code: 1, json: { error: "session_failed" } });
    }
    expect((await belay("get", "done-1", "--json")).json).toEqual(before.json);
    const unknown = await belay("should-resume", "agent-20260108-abc123", "--json");
    expect(unknown).toMatchObject({
      code: 3,
      json: { should_resume: false, reason: "session_not_found" },
    });
  });

  it("leaves the state unchanged on an invalid phase", async () => {
    const { belay } = place;
    await belay("create", "--agent", "a", "--purpose", "p", "--id", "sess-1");
    const before = await belay("get", "sess-1", "--json");
    expect(await belay("update", "sess-1", "--phase", "thinking", "--json")).toMatchObject({
      code: 2,
      json: { error: "invalid_input" },
    });
    expect((await belay("get", "sess-1", "--json")).json).toEqual(before.json);
  });

  it("mirrors a session to state.json in the documented shape", async () => {
    const { belay, root } = place;
    await belay("init", "--mirror", "claude");
    await belay(
      "create",
      "--agent",
      "a",
      "--purpose",
      "p",
      "--id",
      "sess-1",
      "--metadata",
      '{"task_id":"T001"}',
    );
    await belay("update", "sess-1", "--phase", "planning");
    const file = join(root, ".claude", "session", "sess-1", "state.json");
    const state: unknown = JSON.parse(readFileSync(file, "utf8"));
    expect(Object.keys(Object(state))).toEqual([
      "agent_id",
      "agent_name",
      "purpose",
      "created_at",
      "last_updated",
      "phase",
      "metadata",
      "resume_ready",
      "history",
      "error_count",
      "last_error",
    ]);
    expect(state).toMatchObject({
      agent_id: "sess-1",
      phase: "planning",
      metadata: { task_id: "T001" },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    await belay("delete", "sess-1");
    expect(existsSync(file)).toBe(false);
  });
});

describe("the unified command line", () => {
  it("lists sessions by state and agent, and resumes a suspended one as cli", async () => {
    const { belay } = place;
    await belay("create", "--agent", "a", "--purpose", "p", "--id", "sess-1");
    const suspended = await belay("suspend", "sess-1", "--json");
    expect(suspended.json).toMatchObject({
      state: "suspended",
      checkpoint_id: expect.any(String),
      metadata: { suspend_reason: "user_requested" },
    });
    const listed = await belay("list-sessions", "--state", "suspended", "--agent", "a", "--json");
    expect(listed.json).toMatchObject({ sessions: [{ session_id: "sess-1" }] });
    expect((await belay("list-sessions", "--state", "active", "--json")).json).toMatchObject({
      sessions: [],
    });
    const resumed = await belay("resume", "sess-1", "--json");
    expect(resumed.json).toMatchObject({ state: "active", interface: "cli", error_count: 0 });
    expect(await belay("resume", "sess-1", "--json")).toMatchObject({
      code: 1,
      json: { error: "session_not_suspended" },
    });
  });
});

function idIn(json: unknown): string {
  const id = Object(json).session_id;
  if (typeof id !== "string") throw new Error("no session_id");
  return id;
}
