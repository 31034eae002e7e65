import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { fullMetadata } from "../service/full-metadata.ts";
import { createLab, type HookLab, RECORDINGS, readPayloads } from "./hook-lab.ts";

const MAIN = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
const SUB = "a53460a707d5a6dc3";

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.clean());

async function replay(name: string): Promise<void> {
  for (const payload of readPayloads(name)) {
    lab.wait(1000);
    expect(await lab.hook("claude-code", payload)).toBe("");
  }
}
const event = (hook_event_name: string, fields: object = {}) => ({
  session_id: MAIN,
  cwd: "/home/dev/project",
  hook_event_name,
  ...fields,
});
const send = (name: string, fields: object = {}) => lab.hook("claude-code", event(name, fields));
const get = (id: string) => lab.call("get", { id });
const turnsOf = async (id: string) => (await lab.call("turns", { id })).turns;
const typesOf = async (id: string) => (await lab.log(id)).map(({ type }) => type);

describe("belay hook claude-code", () => {
  it("records a conversation as one session", async () => {
    await replay("plain");
    const id = "51d96e0e-e2d3-410f-a0d9-e30bf7955ba2";
    expect(await get(id)).toMatchObject({
      agent_name: "claude-code",
      interface: "hook",
      project: { cwd: "/home/dev/project", repo: null, branch: null },
      title: "hello REMEMBER-hook",
      status: "completed",
      turn_count: 1,
      supports_resume: true,
    });
    expect(await turnsOf(id)).toMatchObject([
      {
        turn_id: "62becd05-0fd3-43ca-a3f5-aeaa0a07fd67",
        status: "completed",
        input: "hello REMEMBER-hook",
        output: "STUB-REPLY n=24 seen=[REMEMBER-hook]",
      },
    ]);
    expect((await lab.log(id)).find(({ type }) => type === "agent.stopped")).toMatchObject({
      type: "agent.stopped",
      data: { reason: "other" },
      actor: "hook:claude-code",
      trace_id: "62becd05-0fd3-43ca-a3f5-aeaa0a07fd67",
    });
    expect(lab.failures()).toBe("");
  });

  it.each(RECORDINGS)("records %s only in the session of the driver that runs it", async (name) => {
    const driven = createLab({ env: { BELAY_SESSION_ID: "driven-1" } });
    try {
      await driven.call("create", { agent_name: "claude", session_id: "driven-1" });
      for (const payload of readPayloads(name)) {
        expect(await driven.hook("claude-code", payload)).toBe("");
      }
      const prompt_id = "11111111-0000-4000-8000-000000000000";
      const compacting = event("PreCompact", { prompt_id, trigger: "auto" });
      await driven.hook("claude-code", compacting);
      expect((await driven.sessions()).map(({ session_id }) => session_id)).toEqual(["driven-1"]);
      expect((await driven.log("driven-1")).map(({ type }) => type)).toEqual([
        "session.created",
        "checkpoint.saved",
      ]);
      expect(driven.spooled()).toEqual([]);
    } finally {
      driven.clean();
    }
  });

  it("records a sub-agent as its own session, with its findings", async () => {
    await replay("sub");
    expect(await lab.sessions()).toHaveLength(2);
    expect(await get(SUB)).toMatchObject({
      agent_name: "general-purpose",
      status: "active",
      phase: "investigating",
      metadata: { claude_session_id: MAIN },
      project: { cwd: "/home/dev/project" },
    });
    expect(await turnsOf(SUB)).toMatchObject([
      { input: "", output: "STUB-REPLY n=47 seen=[] from-subagent" },
    ]);
    expect(await typesOf(SUB)).toEqual([
      "session.created",
      "session.activated",
      "phase.changed",
      "turn.recorded",
      "agent.stopped",
    ]);
  });

  it("ends a turn while background tasks still run, and records no tool output as a person's message", async () => {
    await replay("sub");
    expect(await turnsOf(MAIN)).toMatchObject([
      { status: "completed", input: "SUBAGENT go", output: "STUB-REPLY n=49 seen=[] after-tool" },
      { status: "completed", input: "", output: "STUB-REPLY n=51 seen=[] after-tool" },
    ]);
  });

  it("continues the same session when a conversation is resumed", async () => {
    await replay("tool");
    const notes = await lab.hook("claude-code", readPayloads("resume")[0]);
    expect(JSON.parse(notes).hookSpecificOutput).toMatchObject({
      hookEventName: "SessionStart",
      additionalContext: expect.stringContaining("STUB-REPLY n=43 seen=[] after-tool"),
    });
    for (const payload of readPayloads("resume").slice(1)) await lab.hook("claude-code", payload);
    expect(await lab.sessions()).toHaveLength(1);
    expect(await turnsOf("9a9249f3-01ba-451b-a7cf-1c676ac61a74")).toMatchObject([
      { input: "TOOL-SHELL go", output: "STUB-REPLY n=43 seen=[] after-tool" },
      { input: "again", output: "STUB-REPLY n=1 seen=[]" },
    ]);
  });

  it("ends open work as interrupted when the conversation ends", async () => {
    await replay("kill-TERM");
    const id = "7acaecfd-705d-417d-b5b5-d786a8243568";
    expect(await turnsOf(id)).toMatchObject([{ status: "interrupted", input: "SLOW go" }]);
    expect(await get(id)).toMatchObject({ status: "completed" });
  });

  it("ends an earlier turn as interrupted when the next prompt arrives", async () => {
    await replay("kill-KILL");
    const session_id = "d3807125-d9f4-46d6-8cef-51898ecdd666";
    expect(await turnsOf(session_id)).toMatchObject([{ status: "started" }]);
    const prompt_id = "11111111-0000-4000-8000-000000000000";
    await send("UserPromptSubmit", { session_id, prompt_id, prompt: "once more" });
    expect(await turnsOf(session_id)).toMatchObject([
      { status: "interrupted", input: "SLOW go" },
      { status: "started", input: "once more" },
    ]);
  });

  it("saves a checkpoint of the conversation before it is compacted", async () => {
    await send("UserPromptSubmit", { prompt_id: "prompt-1", prompt: "count" });
    await send("Stop", { prompt_id: "prompt-1", last_assistant_message: "one, two" });
    for (let n = 0; n < 2; n += 1)
      await send("PreCompact", { prompt_id: "prompt-1", trigger: "auto" });
    const { checkpoints } = await lab.call("list_checkpoints", { id: MAIN });
    expect(checkpoints).toHaveLength(1);
    expect(
      await lab.call("show_checkpoint", { id: MAIN, name: checkpoints[0]?.name ?? "" }),
    ).toMatchObject({
      state: {
        reason: "compact",
        trigger: "auto",
        history: [{ input: "count", output: "one, two" }],
      },
    });
  });

  it("ignores a stop without a type for an unknown agent", async () => {
    await send("SubagentStop", {
      agent_id: "aaaaaaaaaaaaaaaaa",
      agent_type: "",
      last_assistant_message: "?",
    });
    expect(await lab.sessions()).toEqual([]);
    await send("SubagentStart", { agent_id: SUB, agent_type: "Explore", prompt_id: "prompt-1" });
    await send("SubagentStop", { agent_id: SUB, agent_type: "", last_assistant_message: "found" });
    expect(await turnsOf(SUB)).toMatchObject([{ output: "found" }]);
  });

  it("starts a session with any first event", async () => {
    const names = ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"];
    for (const [n, name] of names.entries()) {
      const session_id = `00000000-0000-4000-8000-00000000000${n}`;
      const last_assistant_message = name === "Stop" ? "hello" : undefined;
      await send(name, { session_id, prompt_id: "prompt-1", prompt: "hi", last_assistant_message });
      expect(await get(session_id)).toMatchObject({ agent_name: "claude-code" });
    }
    await send("SubagentStop", {
      agent_id: SUB,
      agent_type: "Explore",
      last_assistant_message: "found",
    });
    expect(await get(SUB)).toMatchObject({
      phase: "investigating",
      status: "active",
      turn_count: 1,
    });
  });

  it("finalizes a sub-agent that executes, and does not change it again", async () => {
    await send("SubagentStart", { agent_id: SUB, agent_type: "deployer", prompt_id: "prompt-1" });
    await lab.call("update", { id: SUB, phase: "executing" });
    const stop = { agent_id: SUB, agent_type: "deployer", prompt_id: "prompt-1" };
    await send("SubagentStop", { ...stop, last_assistant_message: "deployed" });
    expect(await get(SUB)).toMatchObject({
      status: "completed",
      summary: "deployed",
      turn_count: 1,
    });
    const before = await lab.log(SUB);
    await send("SubagentStart", { ...stop, prompt_id: "prompt-2" });
    await send("SubagentStop", { ...stop, last_assistant_message: "again" });
    expect(await lab.log(SUB)).toEqual(before);
  });

  it("resumes a suspended session when a person sends a prompt, not when its agent stops", async () => {
    await send("UserPromptSubmit", { prompt_id: "prompt-1", prompt: "start" });
    await send("Stop", { prompt_id: "prompt-1", last_assistant_message: "done" });
    await lab.call("suspend", { id: MAIN });
    await send("Stop", { prompt_id: "prompt-2", last_assistant_message: "late words" });
    await send("SessionEnd", { prompt_id: "prompt-2", reason: "other" });
    expect(await get(MAIN)).toMatchObject({
      status: "suspended",
      metadata: { late: { turn_id: "prompt-2", output: "late words" } },
    });
    await send("UserPromptSubmit", { prompt_id: "prompt-3", prompt: "go on" });
    expect(await get(MAIN)).toMatchObject({ status: "active", phase: "investigating" });
  });

  it("records late text in a session whose metadata is full", async () => {
    await send("UserPromptSubmit", { prompt_id: "prompt-1", prompt: "start" });
    await lab.call("suspend", { id: MAIN });
    await lab.call("update", { id: MAIN, metadata: fullMetadata(await get(MAIN)) });
    await send("Stop", { prompt_id: "prompt-2", last_assistant_message: "late words" });
    expect(Object.keys((await get(MAIN)).metadata)).toHaveLength(LIMITS.METADATA_KEYS + 1);
    expect(await get(MAIN)).toMatchObject({
      metadata: { late: { turn_id: "prompt-2", output: "late words" } },
    });
    expect(lab.failures()).toBe("");
  });

  it("keeps a sub-agent suspended that waits for an approval, with its text", async () => {
    await send("SubagentStart", { agent_id: SUB, agent_type: "deployer", prompt_id: "prompt-1" });
    await lab.call("request_approval", { id: SUB, title: "Deploy?" });
    await send("SubagentStop", {
      agent_id: SUB,
      agent_type: "deployer",
      last_assistant_message: "I wait",
    });
    expect(await get(SUB)).toMatchObject({
      status: "suspended",
      phase: "approval",
      metadata: { late: { output: "I wait" } },
    });
  });

  it("starts the next run when a person continues a completed session", async () => {
    await send("UserPromptSubmit", { prompt_id: "prompt-1", prompt: "start" });
    await lab.call("finalize", { id: MAIN, outcome: "completed" });
    await send("SessionEnd", { prompt_id: "prompt-1", reason: "other" });
    expect(await get(MAIN)).toMatchObject({ status: "completed", run: 1 });
    await send("UserPromptSubmit", { prompt_id: "prompt-2", prompt: "one more thing" });
    expect(await get(MAIN)).toMatchObject({ status: "active", run: 2, phase: "investigating" });
    await send("Stop", { prompt_id: "prompt-2", last_assistant_message: "sure" });
    expect((await turnsOf(MAIN)).at(-1)).toMatchObject({ input: "one more thing", output: "sure" });
  });

  it("does not change an archived session, and logs it", async () => {
    await send("SessionStart", { source: "startup" });
    await lab.call("archive", { id: MAIN });
    const before = await lab.log(MAIN);
    await send("UserPromptSubmit", { prompt_id: "prompt-1", prompt: "anyone?" });
    await send("Stop", { prompt_id: "prompt-1", last_assistant_message: "no" });
    expect(await lab.log(MAIN)).toEqual(before);
    expect(lab.spooled()).toEqual([]);
  });

  it("records several answers to one prompt separately", async () => {
    await send("UserPromptSubmit", { prompt_id: "prompt-1", prompt: "start" });
    for (const last_assistant_message of ["first", "second", "second", "third", "first"]) {
      await send("Stop", { prompt_id: "prompt-1", last_assistant_message });
    }
    expect(await turnsOf(MAIN)).toMatchObject([
      { turn_id: "prompt-1", input: "start", output: "first" },
      { turn_id: "prompt-1.2", input: "", output: "second" },
      { turn_id: "prompt-1.3", input: "", output: "third" },
    ]);
  });

  it("accepts payloads of versions without prompt ids", async () => {
    for (const word of ["one", "two"]) {
      await send("UserPromptSubmit", { prompt: "same" });
      await send("Stop", { last_assistant_message: "same answer" });
      await send("SessionEnd", { reason: word });
    }
    expect(await turnsOf(MAIN)).toMatchObject([
      { status: "completed", input: "same", output: "same answer" },
      { status: "completed", input: "same", output: "same answer" },
    ]);
  });

  it("also accepts the event's name on the command line", async () => {
    const { hook_event_name, ...payload } = event("SessionStart", { source: "startup" });
    await lab.hook("SessionStart", payload);
    expect(await get(MAIN)).toMatchObject({ agent_name: "claude-code" });
  });

  it("keeps the sessions of each owner apart", async () => {
    const other = createLab({ owner: "ada" });
    try {
      await other.hook("claude-code", event("SessionStart"));
      expect((await other.sessions()).map(({ owner }) => owner)).toEqual(["ada"]);
    } finally {
      other.clean();
    }
  });
});
