import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { saidIn, startDemo, temporaryFolders } from "./demo-client.ts";

describe("the demo agent, given plain text", () => {
  it("shows a thought, a plan that advances, a look around and an answer, then stops", async () => {
    const folders = temporaryFolders();
    writeFileSync(join(folders.cwd, "apples.txt"), "");
    const demo = await startDemo([], folders);
    const { result } = await demo.prompt("Hello there");

    expect(new Set(demo.updates.map((update) => update.sessionUpdate))).toEqual(
      new Set([
        "session_info_update",
        "agent_thought_chunk",
        "plan",
        "tool_call",
        "tool_call_update",
        "agent_message_chunk",
        "usage_update",
      ]),
    );
    const plans = demo.updates.flatMap(({ entries }) => entries?.map(({ status }) => status) ?? []);
    expect(plans).toEqual([
      ...["in_progress", "pending", "pending"],
      ...["completed", "in_progress", "pending"],
      ...["completed", "completed", "in_progress"],
      ...["completed", "completed", "completed"],
    ]);
    expect(demo.said).toContain('You said: "Hello there"');
    expect(demo.said).toContain("apples.txt");
    expect(result?.stopReason).toBe("end_turn");
    expect(demo.frames.at(-1)?.result).toBe(result);
  });

  it("streams its answer word by word", async () => {
    const demo = await startDemo();
    await demo.prompt("/say one two three");
    const chunks = demo.updates.filter((one) => one.sessionUpdate === "agent_message_chunk");
    expect(chunks.map((chunk) => saidIn([chunk]))).toEqual(["one ", "two ", "three"]);
  });

  it("lists at most ten files of its folder", async () => {
    const folders = temporaryFolders();
    for (let at = 0; at < 12; at += 1) mkdirSync(join(folders.cwd, `thing-${at + 10}`));
    const demo = await startDemo([], folders);
    await demo.prompt("Look");
    expect(demo.said).toContain("thing-19 and 2 more");
    expect(demo.said).not.toContain("thing-20");
  });

  it("remembers its prompts in order, and reports how many there are", async () => {
    const demo = await startDemo();
    await demo.prompt("Remember that the code is 4711");
    expect(demo.said).toContain("I will remember: that the code is 4711");
    await demo.prompt("The sky is blue");
    expect(demo.said).toContain("I remember 1 message from before it.");
    await demo.prompt("What do you remember?");
    expect(demo.said).toContain(
      "I remember 2 messages from you:\n1. Remember that the code is 4711\n2. The sky is blue",
    );
  });

  it("gives the same answers in every run", async () => {
    const folders = temporaryFolders();
    const [one, other] = [await startDemo([], folders), await startDemo([], folders)];
    await one.prompt("Hello\n/run echo hi");
    await other.prompt("Hello\n/run echo hi");
    expect(one.updates).toEqual(other.updates);
  });

  it("counts words as tokens and adds up the cost over the session", async () => {
    const demo = await startDemo();
    const first = await demo.prompt("/say one two three");
    expect(first.result?.usage).toEqual({ inputTokens: 4, outputTokens: 3, totalTokens: 7 });
    await demo.prompt("/usage 100 50 0.25");
    const usages = demo.updates.filter((update) => update.sessionUpdate === "usage_update");
    expect(usages.map(({ used, cost }) => [used, cost?.amount])).toEqual([
      [7, 0.000057],
      [157, 0.250057],
    ]);
  });

  it("does not read paths as directives, and names unknown directives", async () => {
    const demo = await startDemo();
    await demo.prompt("/etc/hosts is wrong");
    expect(demo.said).toContain('You said: "/etc/hosts is wrong"');
    await demo.prompt("/dance");
    expect(demo.said).toContain("I have no /dance.");
    await demo.prompt("/help");
    expect(demo.said).toContain("/write FILE TEXT");
  });

  it("answers a message that contains directives with text only", async () => {
    const demo = await startDemo();
    await demo.prompt("Do this\n/say done");
    expect(demo.said).toMatch(/^done\nYou said: "Do this"/);
    expect(demo.updates.some((update) => update.sessionUpdate === "plan")).toBe(false);
  });

  it("stores its memory for its own user only", async () => {
    const folders = temporaryFolders();
    const demo = await startDemo([], folders);
    const file = join(folders.folder, `${demo.sessionId}.ndjson`);
    expect(statSync(folders.folder).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("refuses a second prompt while a turn is running", async () => {
    const demo = await startDemo();
    const first = demo.prompt("/say begun\n/slow 5000");
    await demo.waitForUpdate((update) => update.sessionUpdate === "agent_message_chunk");
    expect((await demo.prompt("And?")).error?.code).toBe(-32600);
    demo.cancel();
    expect((await first).result?.stopReason).toBe("cancelled");
  });
});
