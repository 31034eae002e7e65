import { describe, expect, it } from "vitest";
import { BelayError } from "../../../src/contract/errors.ts";
import { readAgentSettings } from "../../../src/drive/agents/agent-settings.ts";

const FILE = "/home/u/.belay/agents.json";

describe("the settings of agents", () => {
  it("are read completely", () => {
    const settings = {
      command: "my-agent",
      args: ["--acp"],
      env: { A: "1" },
      pass_env: ["KEY_*"],
      cwd: "/srv",
      mode: "plan",
      mcp_servers: [
        { name: "files", command: "mcp-files", args: ["-v"], env: {} },
        { name: "web", url: "http://127.0.0.1:1/mcp", headers: { a: "b" } },
      ],
      permissions: { read: "allow", execute: "deny", "*": "ask" },
      effects: { execute: "remote" },
      timeouts: { initialize: 5, open: 0.5, turn: 60 },
    };
    expect(read({ agents: { mine: settings } }).get("mine")).toEqual(settings);
  });

  it.each([
    [{ command: "" }, "command: must not be empty"],
    [{ command: 3 }, "command: must be a text"],
    [{ args: "x" }, "args: must be a list"],
    [{ args: ["a", 1] }, "args.1: must be a text"],
    [
      { comand: "x" },
      'there is no field "comand"; expected one of command, args, env, pass_env, cwd, mode, mcp_servers, permissions, effects, timeouts',
    ],
    [
      { permissions: { reed: "ask" } },
      'there is no field "permissions.reed"; expected one of read, edit, delete, move, search, execute, think, fetch, switch_mode, other, *',
    ],
    [{ permissions: { read: "yes" } }, "permissions.read: must be one of ask, allow, deny"],
    [{ effects: { read: "some" } }, "effects.read: must be one of none, local, remote, unknown"],
    [{ timeouts: { turn: 0 } }, "timeouts.turn: must be greater than 0"],
    [
      { mcp_servers: [{ name: "x" }] },
      "mcp_servers.0: expected {name, command, args?, env?} or {name, url, headers?}",
    ],
    [
      { pass_env: ["NODE_OPTIONS"] },
      "pass_env.0: expected a variable that may be passed on; set this one under env instead",
    ],
    ["my-agent", "must be an object"],
  ])("report the fault of %j", (given, message) => {
    const agents = read({ agents: { bad: given, good: { command: "good" } } });
    const bad = agents.get("bad");
    expect(bad).toBeInstanceOf(BelayError);
    expect(bad).toMatchObject({
      code: "invalid_input",
      message: `${FILE}: agent "bad": ${message}`,
    });
    expect(agents.get("good")).toEqual({ command: "good" });
  });

  it("refuse an invalid name", () => {
    expect(read({ agents: { "a b": { command: "x" } } }).get("a b")).toMatchObject({
      message: expect.stringContaining('agent "a b": expected a name of letters'),
    });
  });

  it.each([
    ["", "1:1"],
    ['{"agents": x}', "1:12"],
    ['{\n  "agents": {\n    "a": {"command": "x",}\n  }\n}', "3:26"],
    ['{"agents": {', "1:13"],
    ['{"agents": {}} x', "1:16"],
    ['{"agents": {"a\n": 1}}', "1:15"],
    ["[".repeat(2000), "1:65"],
  ])("report the position at which %j is not JSON", (text, place) => {
    expect(() => readAgentSettings(FILE, text)).toThrow(`${FILE}:${place}: invalid JSON.`);
  });

  it.each([
    [[], "must be an object"],
    [{ agent: {} }, 'there is no field "agent"'],
    [{ agents: [] }, "agents: must be an object"],
  ])("refuse the file %j", (content, message) => {
    expect(() => read(content)).toThrow(message);
  });
});

function read(content: unknown) {
  return readAgentSettings(FILE, JSON.stringify(content));
}
