import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentInfo } from "../../src/contract/agent-info.ts";
import { type AgentsAccess, agents } from "../../src/doors/cli/commands/agents-command.ts";
import { testTerminal } from "./run-view-terminal.ts";

const READY: AgentInfo = {
  name: "claude",
  source: "preset",
  command: "claude-agent-acp",
  installed: true,
  path: "/bin/claude-agent-acp",
  trusted: true,
  problem: null,
  hint: null,
};

describe("belay agents", () => {
  it.each([[[]], [["list"]]])("shows a table for %j", async (args) => {
    const { run } = access([
      READY,
      { ...READY, name: "gemini", installed: false, path: null, hint: "npm install -g g" },
      { ...READY, name: "team", source: "workspace", trusted: false, hint: "belay agents trust" },
      { ...READY, name: "bad", source: "user", command: "", problem: "a.json: agent \u001b[1mbad" },
    ]);
    expect(await run(args)).toBe(`AGENT   STATE          COMMAND           FROM       HINT
claude  ready          claude-agent-acp  preset
gemini  not installed  claude-agent-acp  preset     npm install -g g
team    not trusted    claude-agent-acp  workspace  belay agents trust
bad     broken                           user
✗ a.json: agent ⟦U+001B⟧[1mbad
`);
  });

  it("adds a command with all arguments after the dashes", async () => {
    const { run, asked } = access([READY]);
    const text = await run(["add", "mine", "--", "./bin/agent", "--acp", "--", "-v"]);
    expect(asked).toEqual([`add mine ${resolve("bin/agent")} --acp -- -v`]);
    expect(text).toContain('Try it with: belay run mine "hello"');
  });

  it("keeps the name of a command on PATH", async () => {
    const { run, asked } = access([READY]);
    await run(["add", "mine", "--", "agent"]);
    expect(asked).toEqual(["add mine agent"]);
  });

  it("removes an agent", async () => {
    const { run, asked } = access([]);
    expect(await run(["remove", "mine"])).toBe("✓ removed mine\n");
    expect(asked).toEqual(["remove mine"]);
  });

  it("shows which commands trust allows", async () => {
    const { run } = access([]);
    expect(await run(["trust"])).toBe(`✓ trusted /w/.belay/agents.json in its current version
  team
    may run       X=1 ./agent
    may run       ./mcp
    auto-approved execute, everything else
`);
  });

  it.each([
    [["list", "x"]],
    [["add"]],
    [["add", "mine"]],
    [["add", "mine", "--"]],
    [["add", "mine", "agent"]],
    [["remove"]],
    [["trust", "x"]],
    [["nonsense"]],
  ])("refuses %j with the usage", async (args) => {
    const { run, asked } = access([]);
    await expect(run(args)).rejects.toMatchObject({ code: "usage" });
    expect(asked).toEqual([]);
  });

  it("prints JSON with --json", async () => {
    const { run } = access([READY], true);
    expect(JSON.parse(await run([]))).toEqual({ agents: [READY] });
    expect(JSON.parse(await run(["remove", "x"]))).toEqual({ removed: "x" });
    expect(JSON.parse(await run(["trust"]))).toMatchObject({ file: "/w/.belay/agents.json" });
  });
});

function access(list: readonly AgentInfo[], json = false) {
  const asked: string[] = [];
  const deps: AgentsAccess = {
    list: async () => list,
    async add(name, command, args) {
      asked.push(["add", name, command, ...args].join(" "));
      return { ...READY, name, command };
    },
    async remove(name) {
      asked.push(`remove ${name}`);
    },
    trust: async () => ({
      file: "/w/.belay/agents.json",
      agents: [
        { name: "team", runs: ["X=1 ./agent", "./mcp"], allows: ["execute", "*"], problem: null },
      ],
    }),
  };
  return {
    asked,
    async run(args: readonly string[]) {
      const terminal = testTerminal({ json });
      expect(await agents(args, deps, terminal)).toBe(0);
      return terminal.written();
    },
  };
}
