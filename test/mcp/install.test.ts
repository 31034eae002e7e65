import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BelayError } from "../../src/contract/errors.ts";
import { addServer, removeServer } from "../../src/doors/mcp/client-settings.ts";
import { runMcpCommand } from "../../src/doors/mcp/run-mcp-command.ts";

const NODE = "/opt/node 24/bin/node";
const ENTRY = "/srv/my tools/bin/belay.mjs";
const SERVER = { command: NODE, args: [ENTRY, "mcp"] };

let folder = "";
let said = "";
let served = 0;
const runAs = (json: boolean, args: readonly string[]) =>
  runMcpCommand(args, {
    cwd: join(folder, "project"),
    userHome: join(folder, "user"),
    node: NODE,
    entry: ENTRY,
    json,
    write: (text) => {
      said += text;
    },
    serve: async () => {
      served += 1;
    },
  });
const run = (...args: string[]) => runAs(false, args);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "belay-mcp-install-"));
  [said, served] = ["", 0];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...parts: string[]) => join(folder, ...parts);
const read = (path: string) => readFileSync(path, "utf8");
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  const error = await work().catch((thrown: unknown) => thrown);
  return error instanceof BelayError ? error.code : "none";
}

describe("belay mcp install", () => {
  it.each([
    ["claude-code", [], ["project", ".mcp.json"]],
    ["claude-code", ["--user"], ["user", ".claude.json"]],
    ["gemini", [], ["project", ".gemini", "settings.json"]],
    ["gemini", ["--user"], ["user", ".gemini", "settings.json"]],
    ["cursor", [], ["project", ".cursor", "mcp.json"]],
    ["cursor", ["--user"], ["user", ".cursor", "mcp.json"]],
  ])("of %s %o writes %o, and uninstall removes it", async (client, flags, place) => {
    const path = at(...place);
    expect(await run("install", client, ...flags)).toBe(0);
    expect(JSON.parse(read(path))).toEqual({ mcpServers: { belay: SERVER } });
    expect(said).toContain(`+++ ${path}\n`);
    expect(await run("uninstall", client, ...flags)).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  it("shows its changes with --print, and changes nothing", async () => {
    await run("install", "cursor", "--print");
    expect(said).toContain('+    "belay": {\n');
    expect(said).toContain("Nothing was changed");
    expect(existsSync(at("project"))).toBe(false);
  });

  it("changes nothing the second time", async () => {
    await run("install", "gemini");
    const path = at("project", ".gemini", "settings.json");
    const once = read(path);
    said = "";
    await run("install", "gemini");
    expect(read(path)).toBe(once);
    expect(said).toBe(`Belay is already in ${path}.\n`);
  });

  it("updates an entry with another path and keeps a person's additions", async () => {
    const path = at("project", ".mcp.json");
    write(
      path,
      '{\n  "mcpServers": {\n    "belay": {\n      "env": { "BELAY_OWNER": "ci" }, // mine\n      "args": ["/old/belay.mjs", "mcp"],\n      "command": "/old/node"\n    }\n  }\n}\n',
    );
    await run("install", "claude-code");
    expect(read(path)).toBe(
      `{\n  "mcpServers": {\n    "belay": {\n      "env": { "BELAY_OWNER": "ci" }, // mine\n      "args": ["${ENTRY}","mcp"],\n      "command": "${NODE}"\n    }\n  }\n}\n`,
    );
  });

  it("recognizes its own entry with any script name", () => {
    const server = { command: NODE, args: ["/srv/checkout/main.ts", "mcp"] };
    const added = addServer("{}", server);
    expect(addServer(added, server)).toBe(added);
    expect(removeServer(added, server)).toBe("{}");
    expect(removeServer(added, SERVER)).toBe(added);
  });

  it("does not change another program's entry of that name", async () => {
    const path = at("project", ".mcp.json");
    const other = '{"mcpServers":{"belay":{"command":"rope","args":["climb"]}}}';
    write(path, other);
    expect(await codeOf(() => run("install", "claude-code"))).toBe("invalid_input");
    await run("uninstall", "claude-code");
    expect(read(path)).toBe(other);
  });

  it.each(["{", "[]", '{"mcpServers":[]}', '{"mcpServers":{"a":}}'])(
    "does not change %s",
    async (text) => {
      const path = at("project", ".mcp.json");
      write(path, text);
      expect(await codeOf(() => run("install", "claude-code"))).toBe("invalid_input");
      expect(read(path)).toBe(text);
    },
  );

  it("prints JSON with --json", async () => {
    await runAs(true, ["install", "cursor"]);
    expect(JSON.parse(said)).toEqual({
      path: at("project", ".cursor", "mcp.json"),
      changed: true,
      diff: expect.stringContaining("belay"),
    });
  });

  it.each([
    ["install"],
    ["install", "emacs"],
    ["install", "constructor"],
    ["install", "cursor", "gemini"],
    ["serve"],
    ["install", "cursor", "--force"],
  ])("prints its usage: %s %s", async (...args) => {
    expect(await codeOf(() => run(...args))).toBe("usage");
  });
});

describe("belay mcp", () => {
  it("serves MCP", async () => {
    expect(await run()).toBe(0);
    expect([served, said]).toEqual([1, ""]);
  });
});

describe("settings", () => {
  it.each([
    "{}",
    "{ }\n",
    "{\n}\n",
    '{"a":1}',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": 1,\n\t"mcpServers": {}\n}',
    '{\r\n  "mcpServers": {\r\n    "x": { "command": "y" }\r\n  }\r\n}\r\n',
    '// top\n{\n  "mcpServers": { // ours and theirs\n    "x": { "command": "y" }, /* last */\n  },\n}\n',
    '\uFEFF{"mcpServers":{"x":{}}}',
  ])("are as before when Belay was added and removed: %j", (text) => {
    const added = addServer(text, SERVER);
    expect(added).not.toBe(text);
    expect(addServer(added, SERVER)).toBe(added);
    expect(removeServer(added, SERVER)).toBe(text);
  });

  it("are restored exactly, with any JSON", () => {
    const servers = fc.dictionary(fc.string(), fc.object({ maxDepth: 1 }));
    const settings = fc.record(
      { mcpServers: servers, other: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(settings, fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const added = addServer(text, SERVER);
        expect(JSON.parse(added).mcpServers.belay).toEqual(SERVER);
        expect(removeServer(added, SERVER)).toBe(text);
      }),
    );
  });
});
