import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLab, type HookLab, RECORDINGS, readPayloads } from "./hook-lab.ts";
import { runHookProcess, runInTime } from "./hook-process.ts";

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
});
afterEach(() => lab.clean());

const OURS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "Stop",
  "SessionEnd",
];
const HOSTILE: readonly unknown[] = [
  "../../../../tmp/belay-outside",
  "/etc/passwd",
  "$(touch outside) `touch outside`; touch outside | touch outside && touch outside > outside",
  "a\0b\r\nc\u001b[2J",
  "\ud800",
  "x".repeat(4096),
  "",
  0,
  null,
  true,
  [],
  { toString: "x", __proto__: null },
];

/** A complete payload of each kind that Belay listens to. */
const samples = OURS.map((hook_event_name) => ({
  hook_event_name,
  session_id: "402e7a18-1d9b-4983-815e-734ca53fd8fa",
  transcript_path: "/home/dev/.claude/transcript.jsonl",
  agent_transcript_path: "/home/dev/.claude/sub.jsonl",
  cwd: "/home/dev/project",
  prompt_id: "c5f72f61-22ce-4d54-836f-af2d548adfe6",
  prompt: "hello",
  agent_id: "a53460a707d5a6dc3",
  agent_type: "general-purpose",
  last_assistant_message: "done",
  tool_name: "Agent",
  tool_input: { subagent_type: "general-purpose", prompt: "go" },
  source: "resume",
  trigger: "auto",
  reason: "other",
}));

describe("a hostile payload", () => {
  it("writes nothing outside of home and project, in any field", async () => {
    const root = join(lab.cwd, "..");
    const before = readdirSync(root).filter((name) => name !== "home");
    for (const sample of samples) {
      for (const field of Object.keys(sample)) {
        for (const value of HOSTILE) await lab.hook("claude-code", { ...sample, [field]: value });
      }
    }
    for (const value of HOSTILE) {
      await lab.hook("pre-delegate", { agent_name: value, agent_id: value });
      await lab.hook("subagent-stop", { task_info: { agent_id: value, summary: value } });
    }
    expect(readdirSync(root).filter((name) => name !== "home")).toEqual(before);
    expect(readdirSync(lab.cwd)).toEqual([".claude"]);
    expect(readdirSync(join(lab.cwd, ".claude"))).toEqual(["logs"]);
    expect(
      readdirSync(lab.home).filter(
        (name) => !/^(belay\.db(-wal|-shm)?|anchor\.log|spool)$/.test(name),
      ),
    ).toEqual([]);
    expect(existsSync("/tmp/belay-outside")).toBe(false);
    for (const { session_id } of await lab.sessions()) {
      expect(session_id).toMatch(/^[A-Za-z0-9][A-Za-z0-9._:-]{4,127}$/);
    }
  });

  it("is not executed, and files that it names are not opened", async () => {
    const marker = join(lab.cwd, "ran");
    const trap = `$(touch ${marker})\`touch ${marker}\`; touch ${marker}`;
    const payload = {
      ...samples[0],
      transcript_path: trap,
      agent_transcript_path: trap,
      cwd: `/tmp/${trap}`,
      agent_type: trap,
    };
    for (const hook_event_name of OURS) {
      const done = await runHookProcess("claude-code", { ...payload, hook_event_name }, lab);
      expect(done.code).toBe(0);
    }
    expect(existsSync(marker)).toBe(false);
  });

  it("of 20 MB is refused", async () => {
    const payload = JSON.stringify({ ...samples[1], prompt: "x".repeat(20 * 1024 * 1024) });
    const done = await runInTime(() => runHookProcess("claude-code", payload, lab));
    expect(done).toMatchObject({ code: 0, stdout: "" });
    expect(done.ms).toBeLessThan(1000);
    const asked = await runInTime(() => runHookProcess("pre-delegate", payload, lab));
    expect(asked).toMatchObject({ code: 0, stdout: '{"should_resume":false,"reason":"error"}\n' });
    expect(lab.failures()).toContain("the payload is larger than");
    expect(lab.spooled()).toEqual([]);
  });

  it("of a few MB is recorded, cut to the size of an event", async () => {
    await lab.hook("claude-code", { ...samples[1], prompt: "\u0001".repeat(3_000_000) });
    const { turns } = await lab.call("turns", { id: String(samples[1]?.session_id) });
    expect(turns[0]?.input.includes(" characters hidden … ")).toBe(true);
  });

  it("nested a million deep is refused", async () => {
    const payload = `{"hook_event_name":"Stop","session_id":"402e7a18","x":${"[".repeat(1_000_000)}`;
    expect(await lab.hook("claude-code", payload)).toBe("");
    expect(lab.failures()).toContain("the payload is not JSON");
  });

  it("cannot reach a prototype", async () => {
    await lab.hook(
      "claude-code",
      '{"__proto__":{"hook_event_name":"Stop"},"session_id":"402e7a18"}',
    );
    await lab.hook("subagent-stop", '{"task_info":{"__proto__":{"agent_id":"agent-123"}}}');
    await lab.hook("claude-code", { ...samples[0], hook_event_name: "constructor" });
    expect(await lab.sessions().catch(() => [])).toEqual([]);
    expect(Object.hasOwn(Object.prototype, "hook_event_name")).toBe(false);
  });

  it("leaves no unknown field and no environment in the store", async () => {
    const done = RECORDINGS.flatMap((name) => readPayloads(name)).slice(0, 6);
    for (const payload of done) {
      await runHookProcess(
        "claude-code",
        { ...payload, secret_field: "s3cret-payload", permission_mode: "s3cret-mode" },
        { ...lab, env: { CLAUDE_CODE_MESSAGING_TOKEN: "s3cret-token" } },
      );
    }
    await lab.hook("pre-delegate", { agent_name: "nobody" });
    const { sessions } = { sessions: await lab.sessions() };
    expect(sessions.length).toBeGreaterThan(0);
    for (const entry of readdirSync(lab.home, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      expect(readFileSync(join(entry.parentPath, entry.name), "latin1")).not.toContain("s3cret");
    }
    expect(lab.failures()).not.toContain("s3cret");
  });
});
