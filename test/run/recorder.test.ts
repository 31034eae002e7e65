import { describe, expect, it } from "vitest";
import type { AgentUpdate, ToolCall } from "../../src/agent/agent-connection.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import type { Delta } from "../../src/contract/run-event.ts";
import { Recorder } from "../../src/drive/run/recorder.ts";

/** A recorder whose log is a list. */
function open() {
  const commands: SessionCommand[] = [];
  const deltas: Delta[] = [];
  let id = 0;
  const recorder = new Recorder({
    write: async (more) => commands.push(...more),
    publish: (delta) => void deltas.push(delta),
    stored: () => {},
    newId: () => `id-${++id}`,
    onFailure: (error) => {
      throw error;
    },
    effects: {},
    flush: { ms: 60_000, chars: 8192 },
  });
  recorder.beginTurn("turn-1", 1);
  return { recorder, commands, deltas };
}

const message = (text: string): AgentUpdate => ({ kind: "message", text });
const tool = (call: Partial<ToolCall>): AgentUpdate => ({
  kind: "tool",
  call: {
    tool_call_id: "call-1",
    title: "ls",
    tool_kind: "execute",
    status: "pending",
    input: null,
    output: null,
    paths: [],
    diffs: [],
    ...call,
  },
});

describe("the record of an agent's work", () => {
  it("has text in consecutive parts, each small enough for an event", async () => {
    const { recorder, commands } = open();
    const text = "\u0001".repeat(3_000_000);
    await recorder.hear(message("begin "));
    await recorder.hear(message(text));
    await recorder.settle();
    const parts = commands.flatMap((command) => (command.type === "append_part" ? [command] : []));
    let told = "";
    for (const { offset, text: piece } of parts) {
      expect(offset).toBe(told.length);
      expect(JSON.stringify(piece).length).toBeLessThan(LIMITS.BODY_BYTES);
      told += piece;
    }
    expect(told).toBe(`begin ${text}`);
  });

  it("has one start and one end of a tool call, however often it is reported", async () => {
    const { recorder, commands } = open();
    for (const status of ["pending", "in_progress", "completed", "completed", "failed"] as const) {
      await recorder.hear(tool({ status }));
    }
    await recorder.settle();
    expect(commands.map(({ type }) => type)).toEqual(["begin_action", "complete_action"]);
    expect(recorder.openCalls()).toEqual([]);
  });

  it("adds work after a turn to that turn, so that recovery settles it", async () => {
    const { recorder, commands } = open();
    recorder.endTurn();
    await recorder.hear(tool({ status: "in_progress" }));
    await recorder.settle();
    expect(commands).toMatchObject([{ type: "begin_action", turn_id: "turn-1" }]);
    expect(recorder.openCalls()).toMatchObject([{ turn_id: "turn-1", running: true }]);
  });

  it("has every call, even beyond the limit of open actions", async () => {
    const { recorder, commands } = open();
    const ids = Array.from({ length: 20 }, (_, nth) => `call-${nth}`);
    for (const tool_call_id of ids) await recorder.hear(tool({ tool_call_id }));
    // The last ends first, before there was room to start it.
    await recorder.hear(tool({ tool_call_id: "call-19", status: "completed" }));
    for (const tool_call_id of ids.slice(0, 10)) {
      await recorder.hear(tool({ tool_call_id, status: "completed" }));
    }
    await recorder.settle();
    const openNow = new Set<string>();
    let ended = 0;
    for (const command of [...commands, ...recorder.closeCalls(() => true)]) {
      if (command.type === "begin_action") openNow.add(command.action_id);
      expect(openNow.size).toBeLessThanOrEqual(LIMITS.OPEN_ACTIONS);
      if (command.type === "complete_action" && openNow.delete(command.action_id)) ended += 1;
    }
    expect(ended).toBe(20);
    expect(openNow.size).toBe(0);
    expect(recorder.openCalls()).toEqual([]);
  });

  it("has text before the call that followed it", async () => {
    const { recorder, commands, deltas } = open();
    await recorder.hear(message("look: "));
    await recorder.hear(tool({ status: "in_progress" }));
    await recorder.hear(message("seen"));
    await recorder.settle();
    expect(commands).toMatchObject([
      { type: "append_part", item: 0, offset: 0, text: "look: " },
      { type: "begin_action" },
      { type: "append_part", item: 1, offset: 0, text: "seen" },
    ]);
    expect(deltas.map(({ item, offset, text }) => [item, offset, text])).toEqual([
      [0, 0, "look: "],
      [1, 0, "seen"],
    ]);
  });

  it("adds cost to that of the reopened agent, or starts at zero", async () => {
    const usage = (cost_usd: number): AgentUpdate => ({
      kind: "usage",
      cost_usd,
      context_tokens: 0,
    });
    const countsOn = open().recorder;
    countsOn.expectCost(0.5);
    await countsOn.hear(usage(0.75));
    expect(countsOn.costSinceLast()).toBe(0.25);
    const beginsAnew = open().recorder;
    beginsAnew.expectCost(0.5);
    await beginsAnew.hear(usage(0.25));
    expect(beginsAnew.costSinceLast()).toBe(0.25);
    await beginsAnew.hear(usage(0.75));
    expect(beginsAnew.costSinceLast()).toBe(0.5);
  });
});
