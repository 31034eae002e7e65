import { describe, expect, it } from "vitest";
import { isRunning, startDemo, temporaryFolders, until } from "./demo-client.ts";

describe("trouble on request", () => {
  it("sends an update of an unknown kind", async () => {
    const demo = await startDemo();
    await demo.prompt("/unknown");
    expect(demo.updates.map((one) => one.sessionUpdate)).toContain("weather_report");
  });

  it("prints a line that is not a frame between two frames", async () => {
    const demo = await startDemo();
    await demo.prompt("/say before\n/noise Segmentation fault (not really)\n/say after");
    const at = demo.lines.indexOf("Segmentation fault (not really)");
    expect(demo.lines[at - 1]).toContain("before");
    expect(demo.lines[at + 1]).toContain("after");
  });

  it("completes a tool call after the turn has ended", async () => {
    const demo = await startDemo();
    const answer = await demo.prompt("/background 50");
    await demo.waitForUpdate(({ status }) => status === "completed");
    expect(demo.frames.indexOf(answer)).toBe(demo.frames.length - 2);
  });

  it("never completes a tool call", async () => {
    const demo = await startDemo();
    const { result } = await demo.prompt("/forget");
    expect(result?.stopReason).toBe("end_turn");
    expect(demo.updates.flatMap(({ status }) => status ?? [])).toEqual(["pending", "in_progress"]);
  });

  it("answers a prompt with an error, and the next one normally", async () => {
    const demo = await startDemo();
    const { error } = await demo.prompt("/fail no more credit");
    expect(error).toMatchObject({ code: -32603, message: "Internal error: no more credit" });
    expect((await demo.prompt("/say still here")).result?.stopReason).toBe("end_turn");
  });

  it("ends a turn with a refusal", async () => {
    const demo = await startDemo();
    const { result } = await demo.prompt("/refuse\n/say but why");
    expect(result?.stopReason).toBe("refusal");
    expect(demo.said).toBe("");
  });

  it("crashes", async () => {
    const demo = await startDemo();
    void demo.prompt("/crash").catch(() => {});
    expect(await demo.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("exits with a code after all its output", async () => {
    const demo = await startDemo();
    void demo.prompt("/flood 300\n/exit 7").catch(() => {});
    expect(await demo.exited).toEqual({ code: 7, signal: null });
    expect(demo.said).toMatch(/ 300 $/);
  });

  it("hangs: it continues to read, and answers nothing, not even a cancel", async () => {
    const demo = await startDemo();
    void demo.prompt("/say now\n/hang").catch(() => {});
    await demo.waitForUpdate((update) => update.sessionUpdate === "agent_message_chunk");
    const before = demo.lines.length;
    // More than a pipe holds: it must be read to be written.
    const _meta = { padding: "x".repeat(2_000_000) };
    demo.notify("session/cancel", { sessionId: demo.sessionId, _meta });
    await until(() => demo.child.stdin?.writableLength === 0);
    void demo.ask("session/list", {}).catch(() => {});
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(demo.lines.slice(before)).toEqual([]);
  });
});

describe("a cancel", () => {
  it.each([
    ["a pause", "/say begun\n/slow 60000"],
    ["slow words", "/say begun\n/pace 5000\n/chunks 100"],
    ["a flood", "/flood 3000000"],
    ["many words", "/chunks 3000000"],
    ["many thoughts", `/say begun${"\n/think again".repeat(100_000)}`],
  ])("stops %s at once", async (_name, text) => {
    const demo = await startDemo();
    const answer = demo.prompt(text);
    await demo.waitForUpdate((update) => update.sessionUpdate === "agent_message_chunk");
    demo.cancel();
    expect((await answer).result?.stopReason).toBe("cancelled");
    expect((await demo.prompt("/say again")).result?.stopReason).toBe("end_turn");
  });

  it("stops a command and all its child processes", async () => {
    const demo = await startDemo();
    const answer = demo.prompt("/run sh -c 'echo pid $$; sleep 60' & wait");
    const shown = await demo.waitForUpdate((one) => /pid \d+/.test(JSON.stringify(one.content)));
    const pid = Number(/pid (\d+)/.exec(JSON.stringify(shown.content))?.[1]);
    expect(isRunning(pid)).toBe(true);
    demo.cancel();
    expect((await answer).result?.stopReason).toBe("cancelled");
    await until(() => !isRunning(pid));
    expect(demo.updates.findLast((update) => update.toolCallId)?.status).toBe("failed");
  });

  it("ends the wait for a permission, whether or not the client answers it", async () => {
    const demo = await startDemo();
    demo.answers = null;
    const answer = demo.prompt("/ask Shall we?\n/say unheard");
    await until(() => demo.permissions.length > 0);
    demo.cancel();
    expect((await answer).result?.stopReason).toBe("cancelled");
    expect(demo.updates.findLast((update) => update.toolCallId)?.status).toBe("failed");
    expect(demo.said).toBe("");
  });

  it("may arrive as the answer to a permission request", async () => {
    const demo = await startDemo();
    demo.answers = "cancelled";
    const { result } = await demo.prompt("/write a.txt a");
    expect(result?.stopReason).toBe("cancelled");
  });

  it("stops a running command when stdin ends", async () => {
    const demo = await startDemo([], temporaryFolders());
    void demo.prompt("/run echo pid $$; sleep 60").catch(() => {});
    const shown = await demo.waitForUpdate((one) => /pid \d+/.test(JSON.stringify(one.content)));
    const pid = Number(/pid (\d+)/.exec(JSON.stringify(shown.content))?.[1]);
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    await until(() => !isRunning(pid));
  });
});
