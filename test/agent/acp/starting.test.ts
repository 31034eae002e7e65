import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAlive } from "../../../src/process/process-identity.ts";
import { MARKER_VARIABLE } from "../../../src/process/process-tree.ts";
import { listStats } from "../../../src/process/read-proc.ts";
import { demo, Ears, failureOf, folder, scripted, start, startOpen } from "./start-agent.ts";

const soon = { initialize: 15_000, open: 10_000, end: 500 };

function childrenOfOurs(): number {
  return listStats().filter(({ parent }) => parent === process.pid).length;
}

describe("an agent that cannot be started", () => {
  it("reports a missing command, and says what to do", async () => {
    const failure = await failureOf(start(demo([], { command: "no-such-agent-anywhere" })));
    expect(failure.kind).toBe("not_found");
    expect(failure.message).toContain('there is no command "no-such-agent-anywhere"; install demo');
  });

  it("reports a command that is not executable, and says what to do", async () => {
    const command = join(folder(), "agent");
    writeFileSync(command, "#!/bin/sh\n");
    chmodSync(command, 0o644);
    const failure = await failureOf(start(demo([], { command })));
    expect(failure.kind).toBe("not_found");
    expect(failure.message).toContain("chmod +x");
  });

  it("names a missing working folder", async () => {
    const failure = await failureOf(start(demo([], { cwd: "/no/such/folder" })));
    expect(failure.kind).toBe("not_found");
    expect(failure.message).toContain("/no/such/folder");
  });

  it("reports a NUL in an argument", async () => {
    const failure = await failureOf(start(demo(["a\0b"])));
    expect(failure.kind).toBe("not_found");
  });
});

describe("an agent's process", () => {
  it("gets the environment of its launch and the marker, and nothing else", async () => {
    const ears = new Ears();
    const before = process.env.SECRET_OF_OURS;
    process.env.SECRET_OF_OURS = "not for agents";
    const launch = scripted("plain", {});
    const connection = await startOpen({ ...launch, env: { PATH: "/bin", ONE: "1" } }, ears);
    await connection.prompt("env");
    expect(JSON.parse(ears.said())).toEqual({
      PATH: "/bin",
      ONE: "1",
      [MARKER_VARIABLE]: connection.marker,
    });
    if (before === undefined) delete process.env.SECRET_OF_OURS;
  });

  it("runs in the folder of its launch, and its identity is recorded", async () => {
    const ears = new Ears();
    const cwd = folder();
    const connection = await startOpen(scripted("plain", { cwd }), ears);
    await connection.prompt("cwd");
    expect(ears.said()).toBe(cwd);
    expect(isAlive(connection.process)).toBe(true);
    expect(connection.process.cmd).toContain("scripted-agent.ts plain");
  });

  it("never blocks on stderr, and its last lines are stored", async () => {
    const connection = await startOpen(scripted("shouts-on-stderr"));
    await connection.prompt("hello");
    const said = connection.transcript().filter((line) => line.startsWith("stderr: "));
    const size = said.join("\n").length;
    expect(size).toBeGreaterThan(10_000);
    expect(size).toBeLessThan(20_000);
  });
});

describe("shaking hands", () => {
  it("reports how the agent can reopen its sessions", async () => {
    expect((await start(demo())).reopens).toEqual({ resume: true, load: true });
    expect((await start(demo(["--no-load", "--no-resume"]))).reopens).toEqual({
      resume: false,
      load: false,
    });
  });

  it("waits for a slow agent up to the limit", async () => {
    await expect(start(demo(["--init-delay", "400"]))).resolves.toBeDefined();
  });

  it.each<[string, string, number, string]>([
    ["never answers", "--never-initialize", 500, "timeout"],
    ["ends meanwhile", "--exit-on-initialize", 15_000, "exited"],
  ])(
    "with an agent that %s fails, and leaves nothing running",
    async (_what, flag, limit, kind) => {
      const before = childrenOfOurs();
      const launch = demo([flag], { limits: { ...soon, initialize: limit } });
      expect((await failureOf(start(launch))).kind).toBe(kind);
      expect(childrenOfOurs()).toBe(before);
    },
  );

  it("reports the last stderr lines of an agent that exited", async () => {
    const failure = await failureOf(start(scripted("dies-at-once")));
    expect(failure.kind).toBe("exited");
    expect(failure.message).toMatch(/exit code 3[\s\S]*no model is configured/);
  });

  it("refuses another version of the protocol", async () => {
    const failure = await failureOf(start(scripted("speaks-version-2", { limits: soon })));
    expect(failure.kind).toBe("protocol");
    expect(failure.message).toContain("version 2");
  });

  it("ignores other lines on stdout", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(["--noise"]), ears);
    await connection.prompt("/say hello");
    expect(ears.said()).toContain("hello");
    expect(connection.transcript().some((line) => line.startsWith("?? "))).toBe(true);
  });
});
