import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type DemoClient,
  type Folders,
  reopenDemo,
  saidIn,
  startDemo,
  temporaryFolders,
  until,
} from "./demo-client.ts";

const RECALL = "What do you remember?";

describe("a session whose process was killed", () => {
  it("is replayed by load, unchanged", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    await first.prompt("/say hello\n/run echo hi\n/say bye");
    await first.kill();

    const { demo } = await reopenDemo("load", first.sessionId, [], folders);
    expect(demo.updates.map((update) => update.sessionUpdate)).toEqual([
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    expect(demo.updates[3]).toMatchObject({ title: "echo hi", status: "completed" });
    expect(saidIn(demo.updates)).toBe(saidIn(first.updates));
    expect(demo.frames.at(-1)?.result?.modes?.currentModeId).toBe("ask");
  });

  it("is resumed without a replay, and remembers", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    await first.prompt("Remember the milk");
    await first.kill();

    const { demo } = await reopenDemo("resume", first.sessionId, [], folders);
    expect(demo.updates).toEqual([]);
    await demo.prompt(RECALL);
    expect(demo.said).toContain("1. Remember the milk");
  });

  it("keeps the prompt that waited for a permission, and its open call", async () => {
    const folders = temporaryFolders();
    const first = await killedAtPermission([], folders);
    const { demo } = await reopenDemo("load", first.sessionId, [], folders);
    expect(demo.updates.map(({ sessionUpdate, status }) => [sessionUpdate, status])).toEqual([
      ["user_message_chunk", undefined],
      ["tool_call", "pending"],
    ]);
    expect(demo.permissions).toEqual([]);
  });

  it("never uses one id for two calls, and continues to add up the cost", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    await first.prompt("/tools 3\n/usage 10 10 1.5");
    await first.kill();
    const { demo } = await reopenDemo("resume", first.sessionId, [], folders);
    await demo.prompt("/tools 1\n/usage 1 1 1");
    expect(demo.updates.find((update) => update.toolCallId)?.toolCallId).toBe("call-4");
    expect(demo.updates.at(-1)).toMatchObject({ used: 22, cost: { amount: 2.5, currency: "USD" } });
  });

  it.each(["load", "resume"] as const)("is reopened by %s in its earlier mode", async (way) => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    await first.ask("session/set_mode", { sessionId: first.sessionId, modeId: "auto" });
    await first.kill();
    const { demo, opened } = await reopenDemo(way, first.sessionId, [], folders);
    expect(opened.result?.modes?.currentModeId).toBe("auto");
    await demo.prompt("/run true");
    expect(demo.permissions).toEqual([]);
  });

  it("is not found in another folder", async () => {
    const id = "demo-00000000-0000-0000-0000-000000000000";
    const { demo, opened } = await reopenDemo("load", id, [], temporaryFolders());
    expect(opened.error?.code).toBe(-32002);
    expect((await demo.prompt("Hello?")).error?.code).toBe(-32002);
  });

  it("is not looked for outside of the memory folder", async () => {
    const folders = temporaryFolders();
    writeFileSync(join(folders.folder, "..", "diary.ndjson"), '{"kind":"prompt","text":"Dear"}\n');
    const { demo, opened } = await reopenDemo("load", "../diary", [], folders);
    expect(opened.error?.code).toBe(-32002);
    expect(demo.updates).toEqual([]);
  });
});

describe("sessions", () => {
  it("are listed by folder, last used first", async () => {
    const folders = temporaryFolders();
    const demo = await startDemo([], folders);
    await demo.prompt("The first of them");
    await demo.newSession();
    await demo.prompt("/say the second");
    const { result } = await demo.ask("session/list", { cwd: demo.cwd });
    expect(result?.sessions?.map(({ title }) => title)).toEqual([
      "/say the second",
      "The first of them",
    ]);
    expect((await demo.ask("session/list", { cwd: "/" })).result?.sessions).toEqual([]);
  });

  it("are unloaded when closed, and can be opened again", async () => {
    const demo = await startDemo();
    const running = demo.prompt("/say begun\n/slow 60000");
    await demo.waitForUpdate((update) => update.sessionUpdate === "agent_message_chunk");
    await demo.ask("session/close", { sessionId: demo.sessionId });
    expect((await running).result?.stopReason).toBe("cancelled");
    expect((await demo.prompt("Hello?")).error?.code).toBe(-32002);
    await demo.reopen("resume", demo.sessionId);
    await demo.prompt(RECALL);
    expect(demo.said).toContain("1. /say begun");
  });

  it("refuse a mode that does not exist", async () => {
    const demo = await startDemo();
    const mode = { sessionId: demo.sessionId, modeId: "yolo" };
    expect((await demo.ask("session/set_mode", mode)).error?.code).toBe(-32602);
  });
});

describe("quirks of reopening", () => {
  it("--no-load, --no-resume, --no-close: it neither offers nor supports them", async () => {
    const demo = await startDemo(["--no-load", "--no-resume", "--no-close"]);
    const { result } = await demo.initialize();
    expect(result?.agentCapabilities).toMatchObject({ loadSession: false });
    expect(result?.agentCapabilities?.sessionCapabilities).toEqual({ list: {} });
    expect((await demo.reopen("load", demo.sessionId)).error?.code).toBe(-32601);
    expect((await demo.reopen("resume", demo.sessionId)).error?.code).toBe(-32601);
    const closing = await demo.ask("session/close", { sessionId: demo.sessionId });
    expect(closing.error?.code).toBe(-32601);
  });

  it.each([
    ["load", "-32602"],
    ["load", "-32002"],
    ["resume", "-32603"],
  ] as const)("--%s-fails %s: it answers with this code", async (way, code) => {
    const demo = await startDemo([`--${way}-fails`, code]);
    expect((await demo.reopen(way, demo.sessionId)).error?.code).toBe(Number(code));
    const other = way === "load" ? "resume" : "load";
    expect((await demo.reopen(other, demo.sessionId)).error).toBeUndefined();
  });

  it.each(["load", "resume"] as const)("--%s-hangs: it never answers", async (way) => {
    const demo = await startDemo([`--${way}-hangs`]);
    void demo.reopen(way, demo.sessionId).catch(() => {});
    const before = demo.frames.length;
    const { result } = await demo.ask("session/list", {});
    expect(result?.sessions).toHaveLength(1);
    demo.child.stdin?.end();
    await demo.exited;
    expect(demo.frames.length).toBe(before + 1);
  });

  it("--late-replay: half of the replay arrives after the answer", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    for (const word of ["a", "b", "c"]) await first.prompt(`/say ${word}`);
    await first.kill();
    const { demo, opened } = await reopenDemo("load", first.sessionId, ["--late-replay"], folders);
    await until(() => demo.updates.length === 6);
    const [inTime, late] = [demo.frames.slice(1, 4), demo.frames.slice(5)];
    expect(demo.frames[4]).toBe(opened);
    expect([...inTime, ...late].every(({ method }) => method === "session/update")).toBe(true);
    expect(saidIn(demo.updates)).toBe("abc");
  });

  it("--forget-prompt: it loses the prompt if it is killed during a permission request", async () => {
    const folders = temporaryFolders();
    const flags = ["--forget-prompt"];
    const first = await killedAtPermission(flags, folders, "/say early\n");
    const { demo } = await reopenDemo("load", first.sessionId, flags, folders);
    expect(demo.updates).toEqual([]);
    await demo.prompt("This is kept");
    await demo.prompt(RECALL);
    expect(demo.said).toContain("I remember 1 message from you:\n1. This is kept");
  });

  it("--forget-mode: it returns to mode ask", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    await first.ask("session/set_mode", { sessionId: first.sessionId, modeId: "auto" });
    await first.kill();
    const { demo, opened } = await reopenDemo("load", first.sessionId, ["--forget-mode"], folders);
    expect(opened.result?.modes?.currentModeId).toBe("ask");
    await demo.prompt("/run true");
    expect(demo.permissions).toHaveLength(1);
  });

  it("--single: it refuses a session that a live process has open", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    const { demo, opened } = await reopenDemo("load", first.sessionId, ["--single"], folders);
    expect(opened.error?.message).toContain("another process has this session open");
    await first.kill();
    expect((await demo.reopen("load", first.sessionId)).error).toBeUndefined();
  });
});

async function killedAtPermission(
  flags: readonly string[],
  folders: Folders,
  before = "",
): Promise<DemoClient> {
  const demo = await startDemo(flags, folders);
  demo.answers = null;
  void demo.prompt(`${before}/write a.txt a`).catch(() => {});
  await until(() => demo.permissions.length > 0);
  await demo.kill();
  return demo;
}
