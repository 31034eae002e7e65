import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { COMPLETE } from "../core/document-payload.ts";
import type { McpLab } from "./mcp-lab.ts";
import { call, openLab, WAYS } from "./mcp-lab.ts";

describe.each(WAYS)("an agent on $way ($mode)", (way) => {
  let lab: McpLab;
  let client: Client;
  const called = new Set<string>();
  const tool = async (name: string, args: Record<string, unknown>) => {
    called.add(name);
    const answer = await call(client, name, args);
    expect(answer.isError, answer.text).toBe(false);
    return answer.value;
  };

  beforeAll(async () => {
    lab = await openLab();
    client = await lab.connect(way, { name: "agent-nine" });
  });
  afterAll(() => lab.close());

  it("gets instructions to record itself", () => {
    expect(client.getInstructions()).toMatch(/begin_action before/);
    expect(client.getServerVersion()).toMatchObject({ name: "belay" });
    expect(client.getProtocolEra()).toBe(way.mode === "auto" ? "modern" : "legacy");
  });

  it("finds every tool with a description, a closed schema and hints", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(description, name).toMatch(/\w/);
      expect(inputSchema.type, name).toBe("object");
      if (name !== "submit_agent_session") expect(inputSchema.additionalProperties).toBe(false);
      expect(annotations, name).toMatchObject({ readOnlyHint: expect.any(Boolean) });
    }
    const hints = (name: string) => tools.find((listed) => listed.name === name)?.annotations;
    expect(hints("query_agent_history")).toMatchObject({
      readOnlyHint: true,
      idempotentHint: true,
    });
    expect(hints("finish_session")).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    const { inputSchema } = tools.find(({ name }) => name === "suspend_session") ?? {};
    expect(inputSchema?.properties).toMatchObject({ reason: { default: "api_requested" } });
  });

  it("records a session from start to end, and resumes it", async () => {
    const session = await tool("create_session", { agent_name: "nine", session_id: "work-0001" });
    expect(session).toMatchObject({ session_id: "work-0001", interface: "mcp", status: "created" });
    const id = "work-0001";
    await tool("update_session", { id, phase: "planning", metadata: { ticket: "T1" } });
    await tool("record_turn", { id, input: "Do it.", output: "Done." });
    const { action_id } = await tool("begin_action", { id, type: "deploy", effects: "remote" });
    await tool("complete_action", { id, action_id, result: "success", details: { url: "x" } });
    await tool("save_checkpoint", { id, name: "half_way", state: { step: 2 } });
    const restored = await tool("restore_checkpoint", { id, name: "half_way" });
    expect(restored.state).toEqual({ step: 2 });
    const advice = await tool("should_resume", { id });
    expect(advice).toMatchObject({ should_resume: true });
    const suspended = await tool("suspend_session", { id });
    expect(suspended.metadata.suspend_reason).toBe("api_requested");
    expect(await tool("resume_session", { id })).toMatchObject({ status: "active" });
    const fork = await tool("fork_session", { id, session_id: "work-0002" });
    expect(fork.parent_session_id).toBe(id);
    const found = await tool("get_session", { id });
    expect(found).toMatchObject({ status: "active", metadata: { ticket: "T1" }, turn_count: 1 });
    const task = await tool("update_task", { task_id: found.task_id, title: "the work" });
    expect(task.title).toBe("the work");
    const listed = await tool("list_sessions", { active_only: true });
    expect(listed.sessions).toHaveLength(2);
    const { events } = await tool("read_log", { id });
    expect(events.map((event: { actor: string }) => event.actor)).toContain("agent-nine");
    const compared = await tool("compare_sessions", { id, with: fork.session_id });
    expect(compared.b).toMatchObject({ session_id: fork.session_id, turns: 0 });
    const merged = await tool("merge_session", { id: fork.session_id });
    expect(merged.merge).toMatchObject({ into: id, added: false });
    const asked = await tool("request_approval", { id, title: "Deploy to production?" });
    const waiting = await tool("list_approvals", {});
    expect(waiting.approvals).toMatchObject([{ approval_id: asked.approval_id, choices: [] }]);
    // An agent must not approve itself.
    const operations: readonly string[] = Object.values(TOOLS).map((one) => one.operation);
    expect(operations).not.toContain("decide_approval");
    const decision = { approval_id: asked.approval_id, decision: "approved" };
    await lab.service.call("decide_approval", decision, lab.caller);
    expect(await tool("get_session", { id })).toMatchObject({ pending_approvals: 0 });
    const ended = await tool("finish_session", { id, outcome: "completed", summary: "shipped" });
    expect(ended).toMatchObject({ status: "completed", summary: "shipped" });
    const { snapshot } = await tool("query_agent_history", { session_id: id });
    expect(snapshot.actions).toMatchObject([
      { type: "deploy", result: "success", details: { output: { url: "x" } }, action_id },
    ]);
    await tool("submit_agent_session", COMPLETE);
    const timeline = await tool("query_entity_timeline", {
      entity_id: "FU-061",
      start_date: "2025-12-01",
      end_date: "2026-01-31",
    });
    expect(timeline.events).toHaveLength(7);
    expect([...called].sort()).toEqual(Object.keys(TOOLS).sort());
  });

  it("reads sessions as resources", async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "belay://sessions/{id}" }]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("belay://sessions/work-0001");
    const { contents } = await client.readResource({ uri: "belay://sessions/work-0001" });
    const [content] = contents;
    if (!content || !("text" in content)) throw new Error("no text");
    expect(JSON.parse(content.text)).toMatchObject({
      session: { session_id: "work-0001", status: "completed" },
      turns: [{ input: "Do it.", output: "Done." }],
    });
  });

  it.each(["belay://sessions/nobody", "belay://sessions/", "belay://sessions/%", "file:///etc"])(
    "gets a protocol error for the resource %s",
    async (uri) => {
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("gets a protocol error for an unknown tool", async () => {
    for (const name of ["no_such_tool", "__proto__", "constructor"]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
        code: -32602,
      });
    }
  });

  it.each([
    ["get_session", { id: "nobody" }, "session_not_found"],
    ["get_session", { id: "../etc" }, "invalid_id"],
    ["get_session", {}, "invalid_id"],
    ["list_sessions", { owner: "bob" }, "unknown_filter"],
    ["create_session", { agent_name: "nine", owner: "bob" }, "invalid_input"],
    ["suspend_session", { id: "work-0002", reason: "" }, "invalid_input"],
    ["query_agent_history", { limit: 0 }, "invalid_input"],
    ["query_agent_history", { session_id: "nobody" }, "session_not_found"],
    ["resume_session", { id: "work-0001" }, "session_completed"],
  ])("gets the reason from %s(%o): %s", async (name, args, code) => {
    const answer = await call(client, name, args);
    expect(answer.isError).toBe(true);
    expect(answer.value).toEqual({
      error: code,
      message: expect.stringMatching(/\w/),
      details: expect.any(Object),
    });
    expect(answer.structured).toEqual(answer.value);
  });

  it("may repeat a call with its key", async () => {
    const args = { agent_name: "nine", idempotency_key: "once" };
    const first = await tool("create_session", args);
    expect((await tool("create_session", args)).session_id).toBe(first.session_id);
  });
});
