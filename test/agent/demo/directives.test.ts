import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DemoClient, isRunning, startDemo, temporaryFolders, textOf } from "./demo-client.ts";

describe("words", () => {
  it("thinks, plans and speaks as directed", async () => {
    const demo = await startDemo();
    await demo.prompt("/think hm\n/plan a; b\n/say yes");
    const [thought] = demo.updates.filter((one) => one.sessionUpdate === "agent_thought_chunk");
    expect(thought && textOf(thought)).toBe("hm");
    const plans = demo.updates.flatMap(({ entries }) => (entries ? [entries] : []));
    expect(
      plans.map((entries) => entries.map((entry) => `${entry.content} ${entry.status}`)),
    ).toEqual([
      ["a in_progress", "b pending"],
      ["a completed", "b in_progress"],
      ["a completed", "b completed"],
    ]);
    expect(demo.said).toBe("yes");
  });

  it("sends a given number of chunks of a given size", async () => {
    const demo = await startDemo();
    await demo.prompt("/chunks 3 100");
    const chunks = demo.updates.filter((one) => one.sessionUpdate === "agent_message_chunk");
    expect(chunks.map((chunk) => textOf(chunk).length)).toEqual([100, 100, 100]);
  });

  it("sends a flood in order, completely before its answer", async () => {
    const demo = await startDemo();
    const { result } = await demo.prompt("/flood 5000");
    const numbers = demo.said.trim().split(" ").map(Number);
    expect(numbers).toEqual(Array.from({ length: 5000 }, (_, at) => at + 1));
    expect(demo.frames.at(-1)?.result).toBe(result);
  });

  it("sends one huge chunk", async () => {
    const demo = await startDemo();
    await demo.prompt("/huge 3");
    expect(demo.said.length).toBe(3 * 1024 * 1024);
  });

  it("waits as long as directed", async () => {
    const demo = await startDemo();
    const started = performance.now();
    await demo.prompt("/slow 100\n/pace 30\n/chunks 3");
    expect(performance.now() - started).toBeGreaterThan(180);
  });
});

describe("tools", () => {
  it("reads a file", async () => {
    const folders = temporaryFolders();
    writeFileSync(join(folders.cwd, "poem.txt"), "roses");
    const demo = await startDemo([], folders);
    await demo.prompt("/read poem.txt\n/read none.txt");
    expect(statusesOf(demo)).toEqual([
      ["pending", "in_progress", "completed"],
      ["pending", "in_progress", "failed"],
    ]);
    expect(JSON.stringify(demo.updates)).toContain("roses");
    expect(demo.permissions).toEqual([]);
  });

  it("writes a file if it is permitted, and shows the diff", async () => {
    const demo = await startDemo();
    const path = join(demo.cwd, "new.txt");
    await demo.prompt("/write new.txt first\n/write new.txt second time");
    expect(readFileSync(path, "utf8")).toBe("second time");
    expect(demo.permissions.map(({ params }) => params?.toolCall?.kind)).toEqual(["edit", "edit"]);
    const finished = demo.updates.filter((update) => update.status === "completed");
    expect(finished.map((update) => update.content)).toEqual([
      [{ type: "diff", path, oldText: null, newText: "first" }],
      [{ type: "diff", path, oldText: "first", newText: "second time" }],
    ]);
  });

  it("does not write without permission", async () => {
    const demo = await startDemo();
    demo.answers = "reject_once";
    const { result } = await demo.prompt("/write new.txt text");
    expect(existsSync(join(demo.cwd, "new.txt"))).toBe(false);
    expect(statusesOf(demo)).toEqual([["pending", "failed"]]);
    expect(demo.said).toBe("I did not write new.txt: You said no.");
    expect(result?.stopReason).toBe("end_turn");
  });

  it("does not ask again for a call that is always allowed", async () => {
    const demo = await startDemo();
    demo.answers = "allow_always";
    await demo.prompt("/run true\n/run true\n/write a.txt a");
    expect(demo.permissions.map(({ params }) => params?.toolCall?.kind)).toEqual([
      "execute",
      "edit",
    ]);
  });

  it("runs a command in the session's folder, in its own process group, and streams its output", async () => {
    const demo = await startDemo();
    await demo.prompt("/run pwd; ps -o pgid= -p $$; echo $$; sleep 0.1; echo late; exit 3");
    const last = demo.updates.find((update) => update.rawOutput);
    expect(last?.status).toBe("failed");
    const output = last?.rawOutput?.output ?? "";
    const [folder, group = "", pid] = output.split("\n").map((line) => line.trim());
    expect([folder, group]).toEqual([demo.cwd, pid]);
    expect(last?.rawOutput?.exit_code).toBe(3);
    const streamed = demo.updates.filter(
      (one) => one.content && one.status === undefined && one.toolCallId,
    );
    expect(JSON.stringify(streamed[0]?.content)).not.toContain("late");
    expect(JSON.stringify(streamed.at(-1)?.content)).toContain("late");
  });

  it("limits the output of a command, and does not wait for its background processes", async () => {
    const demo = await startDemo();
    await demo.prompt("/run sleep 60 & echo pid $!; yes | head -c 1000000");
    const last = demo.updates.find((update) => update.rawOutput);
    expect((last?.rawOutput?.output ?? "").length).toBeLessThan(40_000);
    expect(last?.status).toBe("completed");
    const left = Number(/pid (\d+)/.exec(last?.rawOutput?.output ?? "")?.[1]);
    expect(isRunning(left)).toBe(true);
    process.kill(left);
  });

  it("reports a failed fetch as a tool result", async () => {
    const demo = await startDemo();
    await demo.prompt("/fetch https://example.com");
    expect(demo.permissions).toHaveLength(1);
    expect(demo.said).toBe("I did not fetch https://example.com: I have no network.");
  });

  it("asks a question and recognizes the answer by its kind, not by its name", async () => {
    const demo = await startDemo();
    for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"] as const) {
      demo.answers = kind;
      await demo.prompt("/ask Shall we?");
      expect(demo.said).toContain(`You chose ${kind}`);
      const asked = demo.permissions.at(-1)?.params;
      expect(asked?.toolCall?.title).toBe("Shall we?");
      expect(asked?.options?.some(({ optionId }) => optionId === kind)).toBe(false);
    }
  });

  it("opens many tool calls at once", async () => {
    const demo = await startDemo();
    await demo.prompt("/tools 4");
    const order = demo.updates.flatMap(({ status }) => status ?? []);
    expect(order).toEqual([
      ...Array(4).fill("pending"),
      ...Array(4).fill("in_progress"),
      ...Array(4).fill("completed"),
    ]);
  });

  it("asks nothing in mode auto", async () => {
    const demo = await startDemo();
    await demo.ask("session/set_mode", { sessionId: demo.sessionId, modeId: "auto" });
    expect(demo.updates.at(-1)).toMatchObject({
      sessionUpdate: "current_mode_update",
      currentModeId: "auto",
    });
    await demo.prompt("/write a.txt a\n/run true\n/fetch x");
    expect(demo.permissions).toEqual([]);
    expect(existsSync(join(demo.cwd, "a.txt"))).toBe(true);
  });
});

function statusesOf(demo: DemoClient): string[][] {
  const calls = Map.groupBy(demo.updates, (update) => update.toolCallId ?? "");
  calls.delete("");
  return [...calls.values()].map((updates) => updates.flatMap(({ status }) => status ?? []));
}
