import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DemoClient, type Frame, startDemo } from "./demo-client.ts";

const MINUTE = 60_000;

describe("--minute-bug", () => {
  it("fails to load a session that was created in this clock minute, and deletes it", async () => {
    const { demo, loaded } = await loadWithinOneMinute();
    expect(loaded.error?.code).toBe(-32603);
    expect(readFileSync(fileOf(demo), "utf8")).toBe("");
    const before = demo.updates.length;
    expect((await demo.reopen("load", demo.sessionId)).error).toBeUndefined();
    expect(demo.updates.length).toBe(before);
  });

  it("loads a session that was created a minute ago", async () => {
    const demo = await startDemo(["--minute-bug"]);
    await demo.prompt("/say hello");
    const [, ...later] = readFileSync(fileOf(demo), "utf8").split("\n");
    const made = { kind: "session", cwd: demo.cwd, made_at: Date.now() - MINUTE };
    writeFileSync(fileOf(demo), [JSON.stringify(made), ...later].join("\n"));
    expect((await demo.reopen("load", demo.sessionId)).error).toBeUndefined();
    expect(demo.said).toBe("hellohello");
  });
});

/** If the clock passes on to the next minute between the two, it is done again. */
async function loadWithinOneMinute(): Promise<{ demo: DemoClient; loaded: Frame }> {
  const minute = Math.floor(Date.now() / MINUTE);
  const demo = await startDemo(["--minute-bug"]);
  await demo.prompt("/say hello");
  const loaded = await demo.reopen("load", demo.sessionId);
  return minute === Math.floor(Date.now() / MINUTE) ? { demo, loaded } : loadWithinOneMinute();
}

function fileOf(demo: DemoClient): string {
  return join(demo.cwd, "..", "memory", `${demo.sessionId}.ndjson`);
}
