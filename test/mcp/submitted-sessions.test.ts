import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPLETE, MINIMAL, RECORDED, RECORDED_UPDATE, UPDATE } from "../core/document-payload.ts";
import type { McpLab } from "./mcp-lab.ts";
import { call, openLab, WAYS } from "./mcp-lab.ts";

const PAYLOADS = { MINIMAL, COMPLETE, UPDATE, RECORDED, RECORDED_UPDATE };

describe.each(WAYS)("sessions submitted on $way ($mode)", (way) => {
  let lab: McpLab;
  let client: Client;
  const tool = (name: string, args: Record<string, unknown>) => call(client, name, args);

  beforeAll(async () => {
    lab = await openLab();
    client = await lab.connect(way, { name: "foundation-agent" });
  });
  afterAll(() => lab.close());

  it.each(Object.entries(PAYLOADS))("accept the example %s unchanged", async (name, payload) => {
    const session_id = `example-${name.toLowerCase()}`;
    const { isError, value } = await tool("submit_agent_session", { ...payload, session_id });
    expect(isError).toBe(false);
    expect(value).toEqual({ entity_id: expect.any(String), observation_count: 1 });
    const found = await tool("query_agent_history", { session_id });
    expect(found.value).toEqual({
      entity_id: value.entity_id,
      snapshot: { checkpoints: [], outcomes: [], ...payload, session_id },
    });
  });

  it("become one entity that loses nothing", async () => {
    const counts: number[] = [];
    const entities = new Set<string>();
    for (const payload of [MINIMAL, COMPLETE, UPDATE]) {
      const { value } = await tool("submit_agent_session", payload);
      counts.push(value.observation_count);
      entities.add(value.entity_id);
    }
    expect(counts).toEqual([1, 2, 3]);
    expect(entities.size).toBe(1);
    const { value } = await tool("query_agent_history", { session_id: "abc123" });
    expect(value.snapshot).toEqual({
      ...COMPLETE,
      checkpoints: [
        ...COMPLETE.checkpoints,
        { name: "committed", timestamp: "2025-12-31T11:45:00Z" },
      ],
    });
  });

  it("return a checkpoint by its name", async () => {
    await tool("submit_agent_session", COMPLETE);
    // As agents restore their state.
    const restoreCheckpoint = async (sessionId: string, checkpointName: string) => {
      const { value: session } = await tool("query_agent_history", { session_id: sessionId });
      const checkpoint = session.snapshot.checkpoints.find(
        (cp: { name: string }) => cp.name === checkpointName,
      );
      if (!checkpoint) throw new Error(`Checkpoint ${checkpointName} not found`);
      return checkpoint.state;
    };
    expect(await restoreCheckpoint("abc123", "tests_passing")).toEqual({
      feature_unit_id: "FU-061",
      status: "in_progress",
    });
    await expect(restoreCheckpoint("abc123", "deployed")).rejects.toThrow("deployed not found");
    await lab.service.call("create", { agent_name: "nine", session_id: "saved-1" }, lab.caller);
    for (const step of [1, 2]) {
      const saved = { id: "saved-1", name: "half_way", state: { step } };
      await lab.service.call("save_checkpoint", saved, lab.caller);
    }
    expect(await restoreCheckpoint("saved-1", "half_way")).toEqual({ step: 2 });
  });

  it("start with the newest earlier session", async () => {
    const later = { ...MINIMAL, session_id: "later-1", started_at: "2027-01-01T00:00:00Z" };
    await tool("submit_agent_session", later);
    const query = { limit: 1, order_by: "started_at", order: "desc" };
    const { value: previous } = await tool("query_agent_history", query);
    expect(previous).toHaveLength(1);
    const [last] = previous;
    expect(last.snapshot.session_id).toBe("later-1");
    const { _meta } = await client.callTool({ name: "query_agent_history", arguments: query });
    const next = await tool("query_agent_history", { ...query, cursor: _meta?.next_cursor });
    expect(next.value[0].snapshot.session_id).not.toBe("later-1");
    expect(last.snapshot.checkpoints[last.snapshot.checkpoints.length - 1]?.name).toBe(undefined);
  });

  it.each([
    [
      { actions: [] },
      {
        field: "actions",
        value: [],
        expected: "min_length: 1",
        message: "Actions array must have at least 1 item",
      },
    ],
    [
      { session_id: "abc" },
      {
        field: "session_id",
        value: "abc",
        expected: "min_length: 5",
        message: "session_id must be at least 5 characters",
      },
    ],
    [
      { ended_at: "2025-12-31T10:00:00Z" },
      {
        field: "ended_at",
        value: "2025-12-31T10:00:00Z",
        expected: ">= started_at",
        message: "ended_at must be >= started_at",
      },
    ],
    [
      { actions: [{ type: "run_tests" }] },
      {
        field: "actions[0].result",
        value: null,
        expected: "type: string",
        message: "actions[0].result must be a string",
      },
    ],
  ])("are rejected in exactly the documented form: %o", async (wrong, details) => {
    const answer = await tool("submit_agent_session", { ...MINIMAL, ...wrong });
    expect(answer.isError).toBe(true);
    const rejection = { error: "schema_validation_failed", details };
    expect(answer.text).toBe(JSON.stringify(rejection));
    expect(answer.structured).toEqual(rejection);
  });

  it("are rejected in the same form without arguments", async () => {
    const result = await client.callTool({ name: "submit_agent_session" });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ error: "schema_validation_failed" });
  });

  it("have warnings if they are inconsistent", async () => {
    const { value } = await tool("submit_agent_session", {
      ...COMPLETE,
      session_id: "odd-1",
      duration: 60,
    });
    expect(value.warnings).toEqual(["duration 60 does not match ended_at - started_at (3600)"]);
  });

  it("have the client's name as agent", async () => {
    const { value } = await tool("get_session", { id: "abc123" });
    expect(value).toMatchObject({
      agent_name: "foundation-agent",
      interface: "mcp",
      owner: "ann",
      status: "completed",
    });
  });
});
