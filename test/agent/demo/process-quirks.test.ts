import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { DIRECTIVES } from "../../../src/agent/demo/directives.ts";
import { FLAGS, readFlags } from "../../../src/agent/demo/flags.ts";
import { reopenDemo, spawnDemo, startDemo, temporaryFolders, until } from "./demo-client.ts";

describe("the command line", () => {
  it("explains every flag and every directive on --help", async () => {
    const demo = spawnDemo(["--help"]);
    expect((await demo.exited).code).toBe(0);
    const help = demo.lines.join("\n");
    const flags = Object.keys(FLAGS).map((name) => `--${name}`);
    const directives = Object.keys(DIRECTIVES).map((name) => `/${name}`);
    for (const name of [...flags, ...directives]) {
      expect(help).toMatch(new RegExp(`^  ${name} .*\\w`, "m"));
    }
  });

  it("answers an unknown flag with the usage and exit code 2", async () => {
    const demo = spawnDemo(["--no-such-flag"]);
    expect((await demo.exited).code).toBe(2);
    expect(demo.stderr).toContain("there is no --no-such-flag");
    expect(demo.stderr).toContain("--init-delay MS");
    expect(demo.lines).toEqual([]);
  });

  it.each([
    ["stray"],
    ["--pace"],
    ["--pace", "soon"],
    ["--pace="],
    ["--noise=loud"],
    ["--toString"],
  ])("does not treat %s %s as a flag", (...args) =>
    expect(readFlags(args)).toEqual(expect.any(String)),
  );

  it("accepts values after a space and after an equals sign", () => {
    for (const args of [["--load-fails", "-32602"], ["--load-fails=-32602"]]) {
      const flags = readFlags(args);
      expect(typeof flags === "string" ? flags : flags.valueOf("load-fails")).toBe(-32602);
    }
  });
});

describe("quirks of starting", () => {
  it("--init-delay: it answers initialize late", async () => {
    const demo = spawnDemo(["--init-delay=300"]);
    const { result } = await demo.initialize();
    const waited = performance.now();
    expect(result?.agentCapabilities?.loadSession).toBe(true);
    await demo.initialize();
    expect(performance.now() - waited).toBeGreaterThan(290);
  });

  it("--never-initialize: it reads stdin and never answers", async () => {
    const demo = spawnDemo(["--never-initialize"]);
    void demo.initialize().catch(() => {});
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(demo.lines).toEqual([]);
  });

  it("--exit-on-initialize: it exits with code 1 and a message on stderr", async () => {
    const demo = spawnDemo(["--exit-on-initialize"]);
    void demo.initialize().catch(() => {});
    expect(await demo.exited).toEqual({ code: 1, signal: null });
    expect(demo.stderr).toContain("giving up");
  });

  it("--login-required: it refuses new sessions and prompts until someone logs in", async () => {
    const folders = temporaryFolders();
    const first = await startDemo([], folders);
    const { demo } = await reopenDemo("load", first.sessionId, ["--login-required"], folders);
    expect((await demo.prompt("Hello")).error?.code).toBe(-32000);
    expect((await demo.newSession()).error?.code).toBe(-32000);
    await demo.ask("authenticate", { methodId: "demo" });
    expect((await demo.newSession()).error).toBeUndefined();
  });

  it("--noise: it prints other lines before and between the frames", async () => {
    const demo = await startDemo(["--noise"]);
    await demo.prompt("/say one two three four five");
    expect(demo.said).toBe("one two three four five");
    expect(demo.lines[0]).toBe("Demo agent, warming up ...");
    expect(demo.lines.length - demo.frames.length).toBe(demo.frames.length + 1);
  });

  it("--pace: it pauses between words", async () => {
    const demo = await startDemo(["--pace", "50"]);
    const started = performance.now();
    await demo.prompt("/say one two three");
    expect(performance.now() - started).toBeGreaterThan(140);
  });
});

describe("quirks of tool calls", () => {
  it("--ask-always: it asks even before it reads, in every mode, and for many calls at once", async () => {
    const demo = await startDemo(["--ask-always"]);
    await demo.ask("session/set_mode", { sessionId: demo.sessionId, modeId: "auto" });
    await demo.prompt("Hello");
    expect(demo.permissions.map(({ params }) => params?.toolCall?.kind)).toEqual(["read"]);
    demo.answers = null;
    void demo.prompt("/tools 3").catch(() => {});
    await until(() => demo.permissions.length === 4);
  });

  it("--no-in-progress: calls go from pending to completed", async () => {
    const demo = await startDemo(["--no-in-progress"]);
    await demo.prompt("/run echo hi");
    const statuses = demo.updates.flatMap(({ status }) => status ?? []);
    expect(statuses).toEqual(["pending", "completed"]);
  });

  it("--permission-first: it asks about a call before it announces the call", async () => {
    const demo = await startDemo(["--permission-first"]);
    await demo.prompt("/write a.txt a");
    const [asked] = demo.permissions;
    const announced = demo.frames.find((one) => one.params?.update?.sessionUpdate === "tool_call");
    expect(asked?.params?.toolCall?.toolCallId).toBe(announced?.params?.update?.toolCallId);
    expect(asked && announced && demo.frames.indexOf(asked) < demo.frames.indexOf(announced)).toBe(
      true,
    );
  });

  it("--silent-failure: a failure looks like a turn without text", async () => {
    const demo = await startDemo(["--silent-failure"]);
    const { result, error } = await demo.prompt("/fail no credit");
    expect([result?.stopReason, error, demo.said]).toEqual(["end_turn", undefined, ""]);
  });
});

describe("quirks of ending", () => {
  it("exits when its stdin ends, and on SIGTERM", async () => {
    const [one, other] = [await startDemo(), await startDemo()];
    one.child.stdin?.end();
    expect(await one.exited).toEqual({ code: 0, signal: null });
    other.child.kill("SIGTERM");
    expect(await other.exited).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("--ignore-term: it ignores SIGTERM, and exits when its stdin ends", async () => {
    const demo = await startDemo(["--ignore-term"]);
    demo.child.kill("SIGTERM");
    expect((await demo.prompt("/say alive")).result?.stopReason).toBe("end_turn");
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
  });

  it("--ignore-end: it continues its turn after stdin ends, until SIGTERM", async () => {
    const demo = await startDemo(["--ignore-end"]);
    void demo.prompt("/say before\n/slow 300\n/say after").catch(() => {});
    await demo.waitForUpdate((update) => update.sessionUpdate === "agent_message_chunk");
    demo.child.stdin?.end();
    await demo.waitFor((frame) => frame.result?.stopReason === "end_turn");
    expect(demo.said).toBe("before\nafter");
    expect(demo.child.exitCode).toBeNull();
    demo.child.kill("SIGTERM");
    expect(await demo.exited).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("--relaunch: a child does the work, and outlives a parent that is killed", async () => {
    const demo = await startDemo(["--relaunch", "--ignore-end"]);
    void demo.prompt("/say before\n/slow 300\n/say after").catch(() => {});
    await demo.waitForUpdate((update) => update.sessionUpdate === "agent_message_chunk");
    const [child = 0] = childrenOf(demo.child.pid ?? 0);
    demo.child.kill("SIGKILL");
    await until(() => demo.child.signalCode === "SIGKILL");
    await demo.waitFor((frame) => frame.result?.stopReason === "end_turn");
    expect(demo.said).toBe("before\nafter");
    process.kill(child, "SIGKILL");
    await demo.exited;
  });

  it("--relaunch: the parent exits with the child's code", async () => {
    const demo = await startDemo(["--relaunch"]);
    void demo.prompt("/exit 9").catch(() => {});
    expect((await demo.exited).code).toBe(9);
  });
});

function childrenOf(pid: number): number[] {
  const text = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
  return text.trim().split(/\s+/).map(Number);
}
