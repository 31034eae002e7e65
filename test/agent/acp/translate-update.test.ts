import { describe, expect, it } from "vitest";
import { KnownToolCalls } from "../../../src/agent/acp/known-tool-calls.ts";
import { readUserChunk, translateUpdate } from "../../../src/agent/acp/translate-update.ts";
import type { AgentUpdate, ToolCall } from "../../../src/agent/agent-connection.ts";

const nothing = () => undefined;
const translate = (update: unknown): AgentUpdate | null => translateUpdate(update, nothing);

describe("a chunk", () => {
  const chunk = (content: unknown) => ({ sessionUpdate: "agent_message_chunk", content });

  it("of text becomes a message or a thought", () => {
    const content = { type: "text", text: "héllo" };
    expect(translate(chunk(content))).toEqual({ kind: "message", text: "héllo" });
    expect(translate({ sessionUpdate: "agent_thought_chunk", content })).toEqual({
      kind: "thought",
      text: "héllo",
    });
  });

  it.each([
    [{ type: "image", mimeType: "image/png", data: "A".repeat(16384) }, "[image image/png, 12 KB]"],
    [{ type: "audio", mimeType: "audio/wav", data: "AAAA" }, "[audio audio/wav, 3 bytes]"],
    [{ type: "resource_link", uri: "file:///a", name: "a", size: 2048 }, "[link file:///a, 2 KB]"],
    [{ type: "resource", resource: { uri: "x:y", text: "abc" } }, "[resource x:y, 3 bytes]"],
    [{ type: "hologram", data: {} }, "[hologram]"],
  ])("of another kind becomes a short text", (content, text) => {
    expect(translate(chunk(content))).toEqual({ kind: "message", text });
  });

  it.each([undefined, null, 7, "text", {}, { type: "text" }, { type: "text", text: 7 }])(
    "without content (%j) is of kind other",
    (content) => expect(translate(chunk(content))).toMatchObject({ kind: "other" }),
  );

  it("of the user is ignored", () => {
    const content = { type: "text", text: "mine" };
    const update = { sessionUpdate: "user_message_chunk", content, messageId: "m1" };
    expect(translate(update)).toBeNull();
    expect(readUserChunk(update)).toEqual({ text: "mine", message: "m1" });
    expect(readUserChunk(chunk(content))).toBeNull();
  });
});

describe("a tool call", () => {
  const calls = new KnownToolCalls();
  const merge = (update: object): ToolCall => {
    const translated = translateUpdate(update, calls.find);
    if (translated?.kind !== "tool") throw new Error("no tool update");
    calls.remember(translated.call);
    return translated.call;
  };

  it("gets missing fields from earlier updates", () => {
    merge({
      sessionUpdate: "tool_call",
      toolCallId: "a",
      title: "Edit x",
      kind: "edit",
      locations: [{ path: "/x", line: 3 }],
      rawInput: { path: "/x" },
    });
    const diff = { type: "diff", path: "/y", oldText: null, newText: "new" };
    merge({ sessionUpdate: "tool_call_update", toolCallId: "a", content: [diff] });
    const text = { type: "content", content: { type: "text", text: "done" } };
    expect(
      merge({
        sessionUpdate: "tool_call_update",
        toolCallId: "a",
        status: "completed",
        title: null,
        content: [text, { type: "terminal", terminalId: "t9" }],
      }),
    ).toEqual({
      tool_call_id: "a",
      title: "Edit x",
      tool_kind: "edit",
      status: "completed",
      input: { path: "/x" },
      output: "done",
      paths: ["/x", "/y"],
      diffs: [{ path: "/y", before: null, after: "new" }],
    });
  });

  it("shows its result instead of the content of the permission request", () => {
    const preview = { type: "content", content: { type: "text", text: "would run" } };
    merge({ sessionUpdate: "tool_call", toolCallId: "e", title: "e", content: [preview] });
    const update = { sessionUpdate: "tool_call_update", toolCallId: "e" };
    expect(merge({ ...update, status: "in_progress" }).output).toBe("would run");
    expect(merge({ ...update, status: "completed", content: [] }).output).toBeNull();
  });

  it("has the output of a terminal that its agent reports in chunks", () => {
    const terminal = { type: "terminal", terminalId: "t1" };
    merge({ sessionUpdate: "tool_call", toolCallId: "f", title: "f", content: [terminal] });
    for (const data of ["one\n", "two\n"]) {
      const _meta = { terminal_output_delta: { terminal_id: "t1", data } };
      merge({ sessionUpdate: "tool_call_update", toolCallId: "f", _meta });
    }
    const update = { sessionUpdate: "tool_call_update", toolCallId: "f", status: "completed" };
    expect(merge(update).output).toBe("one\ntwo\n");
  });

  it("is reported even if only its updates arrive", () => {
    const call = merge({ sessionUpdate: "tool_call_update", toolCallId: "b", rawOutput: { n: 1 } });
    expect(call).toMatchObject({ title: "tool", tool_kind: "other", status: "pending" });
    expect(call.output).toBe('{"n":1}');
  });

  it("keeps its status if an update has an unknown one", () => {
    merge({ sessionUpdate: "tool_call", toolCallId: "c", title: "c", status: "in_progress" });
    const update = { sessionUpdate: "tool_call_update", toolCallId: "c", status: "dreaming" };
    expect(merge(update).status).toBe("in_progress");
  });

  it("has limits for input, output, paths and diffs, and reports what was cut", () => {
    const long = "ü".repeat(100_000);
    const diffs = Array.from({ length: 50 }, (_, at) => ({
      type: "diff",
      path: `/${at}`,
      oldText: long,
      newText: long,
    }));
    const call = merge({
      sessionUpdate: "tool_call",
      toolCallId: "d",
      title: long,
      rawInput: { long },
      rawOutput: long,
      content: diffs,
      locations: Array.from({ length: 5000 }, (_, at) => ({ path: `/p${at}` })),
    });
    const cut = /^ü+ … [\d,]+ characters hidden … ü+$/;
    expect(call.input).toMatch(/^\{"long":"ü+ … [\d,]+ characters hidden … ü+"\}$/);
    expect(call.output).toMatch(cut);
    expect(call.output?.length).toBeLessThanOrEqual(8192);
    expect(call.title).toMatch(cut);
    expect(call.paths.length).toBeLessThanOrEqual(100);
    expect(call.diffs[0]?.after).toMatch(cut);
    const { whole_output, ...kept } = call;
    expect(JSON.stringify(kept).length).toBeLessThan(100_000);
    expect(whole_output).toBe(long);
  });

  it("is removed from memory some time after it has finished", () => {
    const known = new KnownToolCalls();
    const call = (id: string, status: ToolCall["status"]): ToolCall => ({
      ...merge({ sessionUpdate: "tool_call", toolCallId: id, title: id }),
      status,
    });
    known.remember(call("open", "pending"));
    known.remember(call("done", "completed"));
    expect(known.find("done")?.status).toBe("completed");
    for (let at = 0; at < 100; at += 1) known.remember(call(`later-${at}`, "failed"));
    expect(known.find("done")).toBeUndefined();
    expect(known.find("open")?.status).toBe("pending");
    for (let at = 0; at < 1000; at += 1) known.remember(call(`open-${at}`, "pending"));
    expect(known.find("open")).toBeUndefined();
  });
});

describe("other updates", () => {
  it.each<[object, AgentUpdate | null]>([
    [
      {
        sessionUpdate: "plan",
        entries: [{ content: "a", status: "completed" }, { content: "b", status: "?" }, 7],
      },
      {
        kind: "plan",
        entries: [
          { content: "a", status: "completed" },
          { content: "b", status: "pending" },
        ],
      },
    ],
    [
      {
        sessionUpdate: "usage_update",
        used: 53,
        size: 200,
        cost: { amount: 0.5, currency: "usd" },
      },
      { kind: "usage", cost_usd: 0.5, context_tokens: 53 },
    ],
    [
      { sessionUpdate: "usage_update", used: 53, cost: { amount: 0.5, currency: "EUR" } },
      { kind: "usage", cost_usd: null, context_tokens: 53 },
    ],
    [
      { sessionUpdate: "current_mode_update", currentModeId: "plan" },
      { kind: "mode", mode: "plan" },
    ],
    [
      {
        sessionUpdate: "config_option_update",
        configOptions: [{ category: "mode", currentValue: "ask" }],
      },
      { kind: "mode", mode: "ask" },
    ],
    [{ sessionUpdate: "config_option_update", configOptions: [{ category: "model" }] }, null],
    [
      { sessionUpdate: "session_info_update", title: "T" },
      { kind: "title", title: "T" },
    ],
    [{ sessionUpdate: "session_info_update", title: null }, null],
    [{ sessionUpdate: "available_commands_update", availableCommands: [] }, null],
  ])("%j", (update, translated) => expect(translate(update)).toEqual(translated));

  it("that are unknown are reported with an excerpt", () => {
    const update = { sessionUpdate: "weather_report", outlook: "x".repeat(5000) };
    const told = translate(update);
    expect(told).toMatchObject({ kind: "other", name: "weather_report" });
    expect(JSON.stringify(told)).toContain('{\\"sessionUpdate\\":\\"weather_report\\"');
    expect(JSON.stringify(told).length).toBeLessThan(1300);
  });

  it.each([
    7,
    null,
    [],
    {},
    { sessionUpdate: "plan" },
    { sessionUpdate: "usage_update", used: "many" },
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "current_mode_update" },
    { sessionUpdate: "toString" },
    { sessionUpdate: "__proto__" },
  ])("that are invalid (%j) are reported as unknown", (update) =>
    expect(translate(update)).toMatchObject({ kind: "other" }),
  );
});
