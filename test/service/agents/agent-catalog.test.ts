import { lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsHome } from "./agents-home.ts";

describe("the list of agents", () => {
  it("shows presets with install hints, available ones first, the demo last", async () => {
    const { catalog, workspace, bin, program, home, write } = agentsHome();
    const path = program(join(bin, "zed-agent"));
    write(join(home, "agents.json"), { agents: { zed: { command: "zed-agent", args: ["a b"] } } });
    expect(await catalog.list(workspace)).toEqual([
      {
        name: "zed",
        source: "user",
        command: "zed-agent 'a b'",
        installed: true,
        path,
        trusted: true,
        problem: null,
        hint: null,
      },
      {
        name: "gemini",
        source: "preset",
        command: "gemini --acp",
        installed: false,
        path: null,
        trusted: true,
        problem: null,
        hint: "npm install -g @google/gemini-cli",
      },
      {
        name: "demo",
        source: "preset",
        command: `${process.execPath} demo.js`,
        installed: true,
        path: process.execPath,
        trusted: true,
        problem: null,
        hint: null,
      },
    ]);
  });

  it("says how to log in to installed agents", async () => {
    const { catalog, workspace, bin, program } = agentsHome();
    program(join(bin, "gemini"));
    const [first] = await catalog.list(workspace);
    expect(first).toMatchObject({ name: "gemini", hint: "run gemini once and log in" });
  });

  it("shows an invalid entry with its problem beside the valid ones, and running it fails", async () => {
    const { catalog, workspace, bin, program, home, write } = agentsHome();
    program(join(bin, "good"));
    const file = write(join(home, "agents.json"), {
      agents: { bad: { command: 1 }, bare: {}, good: { command: "good" } },
    });
    const list = await catalog.list(workspace);
    const wrong = `${file}: agent "bad": command: must be a text`;
    expect(list.map(({ name, problem }) => [name, problem])).toEqual([
      ["good", null],
      ["bad", wrong],
      ["bare", expect.stringContaining('agent "bare": command: is required')],
      ["gemini", null],
      ["demo", null],
    ]);
    await expect(catalog.find("bad", workspace)).rejects.toMatchObject({
      code: "invalid_input",
      message: wrong,
    });
  });

  it("names a file that is not JSON, and runs no agent without it", async () => {
    const { catalog, workspace, home, write } = agentsHome();
    const file = write(join(home, "agents.json"), '{"agents": {');
    expect(await catalog.list(workspace)).toContainEqual(
      expect.objectContaining({ name: file, problem: `${file}:1:13: invalid JSON.` }),
    );
    await expect(catalog.find("demo", workspace)).rejects.toThrow("invalid JSON");
    await expect(catalog.add("x", "x", [])).rejects.toThrow("invalid JSON");
  });
});

describe("finding an agent", () => {
  it("returns its launch: the preset, changed by the settings, with a clean environment", async () => {
    const { catalog, workspace, home, bin, program, write } = agentsHome();
    const command = program(join(bin, "gemini"));
    write(join(home, "agents.json"), {
      agents: {
        gemini: {
          env: { EXTRA: "1" },
          mode: "plan",
          permissions: { read: "allow" },
          effects: { execute: "remote" },
          timeouts: { initialize: 2, turn: 1.5 },
        },
      },
    });
    const profile = await catalog.find("gemini", workspace);
    expect(profile).toMatchObject({
      name: "gemini",
      turn_silence_ms: 1500,
    });
    expect(profile.permissions).toEqual({ read: "allow" });
    expect(profile.effects).toEqual({ execute: "remote" });
    expect(profile.launchFor("s-1", "/work")).toEqual({
      name: "gemini",
      command,
      args: ["--acp"],
      env: {
        PATH: bin,
        HOME: expect.any(String),
        GEMINI_API_KEY: "key",
        GEMINI_CLI_NO_RELAUNCH: "true",
        EXTRA: "1",
        BELAY_HOME: home,
        BELAY_SESSION_ID: "s-1",
      },
      cwd: "/work",
      mode: "plan",
      mcp_servers: [],
      quirks: {
        reopen_in_next_minute: true,
        silent_end_is_failure: false,
        failure_text: null,
        usage_is_total: false,
        usage_in_updates: false,
        replay_settles_ms: 500,
      },
      limits: { initialize: 2000, open: 10_000, end: 3_000 },
    });
  });

  it("waits five minutes for a silent turn by default", async () => {
    const { catalog, workspace } = agentsHome();
    expect((await catalog.find("demo", workspace)).turn_silence_ms).toBe(300_000);
  });

  it.each(["nobody", "constructor"])("refuses %s, and says what to do", async (name) => {
    const { catalog, workspace } = agentsHome();
    await expect(catalog.find(name, workspace)).rejects.toMatchObject({
      code: "agent_not_found",
      message: `Unknown agent ${name}. List agents with: belay agents. Add one with: belay agents add ${name} -- COMMAND`,
    });
  });

  it("says how to install an agent that is not on PATH", async () => {
    const { catalog, workspace } = agentsHome();
    await expect(catalog.find("gemini", workspace)).rejects.toMatchObject({
      code: "agent_not_found",
      message: expect.stringContaining("npm install -g @google/gemini-cli"),
    });
  });

  it("does not accept a folder or a non-executable file as a program", async () => {
    const { catalog, workspace, bin, write } = agentsHome();
    write(join(bin, "gemini", "file"), "");
    write(join(bin, "tool"), "#!/bin/sh\n");
    await catalog.add("mine", "tool", []);
    await expect(catalog.find("gemini", workspace)).rejects.toThrow("that is not on PATH");
    await expect(catalog.find("mine", workspace)).rejects.toThrow("that is not on PATH");
  });
});

describe("the user's own file", () => {
  it("gets agents added and removed, and keeps its other contents", async () => {
    const { catalog, workspace, home, bin, program, write } = agentsHome();
    const file = join(home, "agents.json");
    program(join(bin, "tool"));
    await catalog.add("mine", "tool", ["--acp"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bad = { command: 7 };
    const kept = { ...JSON.parse(readFileSync(file, "utf8")).agents, bad };
    write(file, { agents: { ...kept, mine: { ...kept.mine, mode: "plan" } } });
    expect(await catalog.add("mine", "tool", [])).toMatchObject({
      name: "mine",
      command: "tool",
      installed: true,
    });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      agents: { mine: { command: "tool", args: [], mode: "plan" }, bad },
    });
    await catalog.remove("mine");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ agents: { bad } });
    await expect(catalog.find("mine", workspace)).rejects.toMatchObject({
      code: "agent_not_found",
    });
  });

  it.each(["", "-x", "a b", "../x", "__proto__"])("refuses the name %j", async (name) => {
    await expect(agentsHome().catalog.add(name, "x", [])).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("refuses a relative path", async () => {
    await expect(agentsHome().catalog.add("x", "./x", [])).rejects.toThrow("relative path");
  });

  it("reports that there is nothing to remove", async () => {
    const { catalog } = agentsHome();
    await expect(catalog.remove("gemini")).rejects.toThrow("comes with Belay");
    await expect(catalog.remove("toString")).rejects.toMatchObject({ code: "agent_not_found" });
  });

  it("stays at the target of a link", async () => {
    const { catalog, home, userHome, write } = agentsHome();
    const real = write(join(userHome, "dotfiles", "agents.json"), { agents: {} });
    symlinkSync(real, join(home, "agents.json"));
    await catalog.add("mine", "tool", []);
    expect(lstatSync(join(home, "agents.json")).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, "utf8")).agents).toHaveProperty("mine");
  });
});
