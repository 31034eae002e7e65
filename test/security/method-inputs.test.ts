import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeTranscript } from "../../src/drive/run/write-transcript.ts";
import { type Belay, openBelay } from "../../src/index.ts";

let home: string;
let belay: Belay;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "belay-input-"));
  const agents = { broken: { command: process.execPath, args: ["-e", "process.exit(1)"] } };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }));
  belay = await openBelay({ home });
});
afterEach(async () => {
  await belay.close();
  rmSync(home, { recursive: true });
});

/** Calls like a program without types. */
const untyped = (): {
  run(input: unknown): AsyncGenerator;
  runAgentStep(step: unknown): Promise<unknown>;
} => Object(belay);
async function run(input: unknown): Promise<void> {
  for await (const _ of untyped().run(input)) {
    // The events do not matter.
  }
}

describe("input of run and runAgentStep", () => {
  const place = { agent: "broken", message: "hi" };
  it.each([
    [{ ...place, session_id: "../../ev il" }, "invalid_id"],
    [{ ...place, session_id: 5 }, "invalid_id"],
    [{ ...place, message: 5 }, "invalid_input"],
    [{ ...place, message: "" }, "invalid_input"],
    [{ ...place, agent: 5 }, "invalid_input"],
    [{ ...place, title: 5 }, "invalid_input"],
    [{ ...place, metadata: "x" }, "invalid_input"],
    [{ ...place, cwd: 5 }, "invalid_input"],
    [{ ...place, sesion_id: "typing-error" }, "invalid_input"],
    [{ id: "../x", message: "hi" }, "invalid_id"],
    [{ message: "hi" }, "invalid_input"],
    [null, "invalid_input"],
  ])("is refused by run's schema: %j", async (input, code) => {
    await expect(run(input)).rejects.toMatchObject({ code });
    expect((await belay.sessions.list({})).sessions).toEqual([]);
  });

  const step = { agent: "broken", topic: "hi" };
  it.each([
    [{ ...step, topic: 5 }, "invalid_input"],
    [{ ...step, mode: "both" }, "invalid_input"],
    [{ ...step, session_id: "../x" }, "invalid_id"],
    [{ ...step, task_id: 5 }, "invalid_input"],
    [{ ...step, more: 1 }, "invalid_input"],
    [undefined, "invalid_input"],
  ])("is refused by the step's schema: %j", async (input, code) => {
    await expect(untyped().runAgentStep(input)).rejects.toMatchObject({ code });
    expect((await belay.sessions.list({})).sessions).toEqual([]);
  });

  it("never leads to a log outside the data folder", () => {
    writeTranscript(home, "sess:1", ["a frame"]);
    expect(readdirSync(join(home, "agent-logs"))).toEqual(["sess_1.log"]);
    expect(() => writeTranscript(home, "../../ev il", ["a frame"])).toThrow("is not a file name");
    expect(existsSync(join(home, "..", "ev il.log"))).toBe(false);
  });
});

describe("input of openBelay", () => {
  it.each([{ owner: 5 }, { owner: "a\nb" }, { interface: "fax" }, { actor: {} }, { homes: "x" }])(
    "is refused by its schema: %j",
    async (options) => {
      const open: (options: unknown) => Promise<Belay> = Object(openBelay);
      await expect(open({ home, ...options })).rejects.toMatchObject({ code: "invalid_input" });
    },
  );

  it("is checked in follow", async () => {
    const follow: (...args: unknown[]) => AsyncGenerator = Object(belay).follow;
    const { signal } = new AbortController();
    await expect(follow("../x", 0, signal).next()).rejects.toMatchObject({ code: "invalid_id" });
    await expect(follow("sess-1", "zero", signal).next()).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
