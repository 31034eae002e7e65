import { describe, expect, it } from "vitest";
import { HOUR, onMemory } from "./on-memory.ts";

const COMPLETE = {
  session_id: "abc123",
  actions: [
    {
      type: "create_feature_unit",
      result: "success",
      details: { feature_unit_id: "FU-061" },
      timestamp: "2025-12-31T11:15:00Z",
    },
    { type: "run_tests", result: "passed", timestamp: "2025-12-31T11:30:00Z" },
  ],
  checkpoints: [
    { name: "spec_complete", state: { status: "planning" }, timestamp: "2025-12-31T11:15:00Z" },
  ],
  outcomes: [{ type: "feature_unit_created", id: "FU-061" }],
  duration: 3600,
  started_at: "2025-12-31T11:00:00Z",
  ended_at: "2025-12-31T12:00:00Z",
};

describe("the timeline of an entity", () => {
  it("shows start, actions, checkpoints and end of every session that refers to it", async () => {
    const { service, caller } = onMemory();
    const answer = await service.call("submit_observation", COMPLETE, caller);
    expect(answer).toEqual({ entity_id: expect.any(String), observation_count: 1 });
    const query = { entity_id: "FU-061", start_date: "2025-12-01", end_date: "2025-12-31" };
    const { events } = await service.call("timeline", query, caller);
    expect(events.map(({ type, name }) => [type, name])).toEqual([
      ["session_started", "started"],
      ["action", "create_feature_unit"],
      ["checkpoint", "spec_complete"],
      ["action", "run_tests"],
      ["session_ended", "completed"],
    ]);
    const before = { entity_id: "FU-061", end_date: "2025-12-30" };
    expect((await service.call("timeline", before, caller)).events).toEqual([]);
    expect((await service.call("timeline", { entity_id: "FU-062" }, caller)).events).toEqual([]);
  });
});

describe("observations", () => {
  it("of one session resolve to one entity that loses nothing", async () => {
    const { service, caller } = onMemory();
    const first = await service.call("submit_observation", COMPLETE, caller);
    const second = await service.call("submit_observation", COMPLETE, caller);
    expect(second).toEqual({ entity_id: first.entity_id, observation_count: 2 });
    const { events } = await service.call("timeline", { entity_id: "abc123" }, caller);
    expect(events).toHaveLength(5);
    expect(await service.call("get", { id: "abc123" }, caller)).toMatchObject({
      status: "completed",
    });
    const state = await service.call(
      "show_checkpoint",
      { id: "abc123", name: "spec_complete" },
      caller,
    );
    expect(state.state).toEqual({ status: "planning" });
  });

  it("are rejected in the documented form, and store nothing", async () => {
    const { service, caller } = onMemory();
    await expect(
      service.call("submit_observation", { ...COMPLETE, actions: [] }, caller),
    ).rejects.toMatchObject({
      code: "schema_validation_failed",
      details: {
        field: "actions",
        value: [],
        expected: "min_length: 1",
        message: "Actions array must have at least 1 item",
      },
    });
    expect((await service.call("list", {}, caller)).sessions).toEqual([]);
  });
});

describe("stats", () => {
  it("count resumed, succeeded and failed sessions by agent", async () => {
    const { service, caller, advance } = onMemory();
    const make = async (session_id: string, agent_name: string) =>
      service.call("create", { agent_name, session_id }, caller);
    await make("sess-a1", "a");
    await make("sess-a2", "a");
    await make("sess-b1", "b");
    await service.call("suspend", { id: "sess-a1" }, caller);
    await service.call("resume", { id: "sess-a1" }, caller);
    advance(2 * HOUR);
    await service.call("finalize", { id: "sess-a1", outcome: "completed" }, caller);
    await service.call("finalize", { id: "sess-b1", outcome: "failed" }, caller);
    const { total, by_agent } = await service.call("stats", {}, caller);
    expect(total).toMatchObject({ sessions: 3, resume_rate: 1 / 3, success_rate: 0.5 });
    expect(by_agent.a).toMatchObject({ sessions: 2, success_rate: 1, median_duration_s: 7200 });
    expect(by_agent.b).toMatchObject({ sessions: 1, success_rate: 0 });
  });
});
