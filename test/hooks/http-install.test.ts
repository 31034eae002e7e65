import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BelayError } from "../../src/contract/errors.ts";
import {
  addHooks,
  hookCommand,
  removeHooks,
} from "../../src/integrations/claude/hooks/claude-settings.ts";
import { runHooksCommand } from "../../src/integrations/claude/hooks/run-hooks-command.ts";
import { writeServerAddress } from "../../src/server/server-files.ts";

const COMMAND = hookCommand("/opt/node/bin/node", "/srv/belay/bin/belay.mjs");
const URL = "http://127.0.0.1:4747/hooks/claude-code";
const HTTP_HOOK = {
  type: "http",
  url: URL,
  headers: { Authorization: "Bearer $BELAY_TOKEN" },
  allowedEnvVars: ["BELAY_TOKEN"],
  timeout: 10,
};
const OVER_HTTP = [
  "UserPromptSubmit",
  "PreToolUse",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "Stop",
  "SessionEnd",
];

let folder = "";
let said = "";
let env: Record<string, string> = {};
const home = () => join(folder, "home");
const path = () => join(folder, ".claude", "settings.json");
const settings = () => readFileSync(path(), "utf8");
const hooksIn = (text: string) => JSON.parse(text).hooks;
const run = (...args: string[]) =>
  runHooksCommand(args, {
    cwd: folder,
    userHome: join(folder, "user"),
    node: "/opt/node/bin/node",
    entry: "/srv/belay/bin/belay.mjs",
    json: false,
    home: home(),
    env,
    write: (text) => {
      said += text;
    },
  });
const install = (...flags: string[]) => run("install", "claude-code", ...flags);
const serverRuns = (pid = process.pid) => {
  mkdirSync(home(), { recursive: true });
  writeServerAddress(home(), { url: "http://127.0.0.1:4747", pid });
};

function refusalOf(work: () => unknown): { code: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof BelayError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: "none", message: "" };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "belay-install-http-"));
  said = "";
  env = {};
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("belay hooks install claude-code --http", () => {
  it("makes Claude Code call the running server, except for a command that starts a session", () => {
    serverRuns();
    expect(install("--http")).toBe(0);
    const hooks = hooksIn(settings());
    expect(Object.keys(hooks)).toEqual(["SessionStart", ...OVER_HTTP]);
    for (const event of OVER_HTTP) expect(hooks[event][0].hooks).toEqual([HTTP_HOOK]);
    expect(hooks.PreToolUse[0].matcher).toBe("Agent|Task");
    expect(hooks.SessionStart[0].hooks).toMatchObject([{ type: "command", command: COMMAND }]);
  });

  it("writes no token into the file, and says where Claude Code reads it", () => {
    serverRuns();
    writeFileSync(join(home(), "server-token"), "belay_secret_token\n");
    install("--http");
    expect(settings()).not.toContain("secret");
    expect(said).not.toContain("secret");
    expect(said).toContain("belay token create --name claude-code --scope record");
  });

  it("fails if no server runs, and says what to do", () => {
    for (const prepare of [() => {}, () => serverRuns(2 ** 22 + 1)]) {
      prepare();
      expect(refusalOf(() => install("--http"))).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("belay serve"),
      });
    }
    expect(() => settings()).toThrow("ENOENT");
  });

  it("prefers --url to BELAY_URL, and that to the server's file", () => {
    serverRuns();
    env = { BELAY_URL: "https://belay.example/" };
    install("--http");
    expect(hooksIn(settings()).Stop[0].hooks[0].url).toBe(
      "https://belay.example/hooks/claude-code",
    );
    install("--http", "--url", "http://localhost:5000");
    expect(hooksIn(settings()).Stop[0].hooks[0].url).toBe(
      "http://localhost:5000/hooks/claude-code",
    );
    expect(settings()).not.toContain("belay.example");
  });

  it.each([
    "not an address",
    "ftp://localhost",
    "http://user:secret@localhost:1",
    "http://localhost:1/?token=secret",
    "file:///etc/passwd",
  ])("refuses %s as an address", (url) => {
    expect(refusalOf(() => install("--http", "--url", url)).code).toBe("invalid_input");
    expect(() => settings()).toThrow("ENOENT");
  });

  it.each([
    ["install", "claude-code", "--url", "http://localhost:1"],
    ["uninstall", "claude-code", "--http"],
  ])("prints its usage for %j", (...args) => {
    expect(refusalOf(() => run(...args)).code).toBe("usage");
  });

  it("changes nothing with --print, and nothing the second time", () => {
    serverRuns();
    install("--http", "--print");
    expect(() => settings()).toThrow("ENOENT");
    install("--http");
    const once = settings();
    said = "";
    install("--http");
    expect(settings()).toBe(once);
    expect(said).toContain("already");
  });
});

const FOREIGN = '{"type":"command","command":"echo foreign"}';
const ALIKE = `{"type":"http","url":"http://localhost:9/hooks/claude-code","headers":{"X-Key":"$KEY"}}`;
const SETTINGS: Readonly<Record<string, string>> = {
  "an empty object": "{}\n",
  "one line": '{"model":"opus"}',
  tabs: '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  CRLF: '{\r\n  "model": "opus",\r\n  "env": {}\r\n}\r\n',
  comments: '// top\n{\n  "model": "opus", // after\n  "env": {} // end\n}\n',
  "hooks on one line": `{"hooks":{"Stop":[{"hooks":[${FOREIGN}]}]}}`,
  "hooks of others": `{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          ${ALIKE}\n        ]\n      }\n    ],\n    "PreToolUse": [{ "matcher": "Bash", "hooks": [${FOREIGN}] }]\n  }\n}\n`,
};

describe("the two kinds of hooks", () => {
  it.each(Object.entries(SETTINGS))("replace each other and leave no trace: %s", (_, before) => {
    const asCommand = addHooks(before, COMMAND);
    const asHttp = addHooks(before, COMMAND, URL);
    expect(asHttp).not.toBe(asCommand);
    const switched = addHooks(asCommand, COMMAND, URL);
    expect(addHooks(switched, COMMAND, URL)).toBe(switched);
    const back = addHooks(switched, COMMAND);
    for (const [text, calls] of [
      [asHttp, 7],
      [switched, 7],
      [back, 0],
    ] as const) {
      expect(text.split(URL).length - 1).toBe(calls);
      expect(text.split("hook claude-code").length - 1).toBe(8 - calls);
      expect(removeHooks(text, COMMAND)).toBe(before);
    }
  });

  it("have the same text as a fresh install, also in indented files", () => {
    const before = '{\n  "model": "opus"\n}\n';
    const asHttp = addHooks(before, COMMAND, URL);
    expect(addHooks(addHooks(before, COMMAND), COMMAND, URL)).toBe(asHttp);
    expect(addHooks(asHttp, COMMAND)).toBe(addHooks(before, COMMAND));
  });

  it("keep a person's additions", () => {
    const mine = addHooks(null, COMMAND, URL).replaceAll('"timeout": 10', '"timeout": 3');
    const moved = addHooks(mine, COMMAND, "http://127.0.0.1:5000/hooks/claude-code");
    expect(moved).toBe(mine.replaceAll("4747", "5000"));
  });

  it("are removed by the uninstall command of the other kind", () => {
    serverRuns();
    install("--http");
    expect(run("uninstall", "claude-code")).toBe(0);
    expect(() => settings()).toThrow("ENOENT");
  });
});
