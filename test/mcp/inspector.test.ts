import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { COMPLETE } from "../core/document-payload.ts";
import { sampleSize } from "../crash/sample-size.ts";
import type { McpLab } from "./mcp-lab.ts";
import { BELAY_MCP, bearer, openLab } from "./mcp-lab.ts";

const INSPECTOR = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url,
  ),
);

let lab: McpLab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const TARGETS = {
  stdio: () => [
    ...Object.entries(lab.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    process.execPath,
    ...BELAY_MCP,
  ],
  http: () => ["--server-url", lab.url, "--header", `Authorization: ${bearer("ann")}`],
} as const;

/** The official inspector's command line, with a home of its own. */
async function inspect(transport: keyof typeof TARGETS, era: string, ...args: string[]) {
  const home = join(lab.home, "inspector");
  const words = [INSPECTOR, "--cli", "--transport", transport, "--protocol-era", era, ...args];
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [...words, ...TARGETS[transport]()],
      { env: { PATH: process.env.PATH, HOME: home, MCP_CATALOG_PATH: join(home, "none.json") } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** A sample submits over each transport once; the inspector takes a second to start. */
const isFull = sampleSize({ full: 1, sample: 0 }) === 1;

describe.each([
  ["stdio", "legacy", isFull],
  ["stdio", "modern", true],
  ["http", "legacy", true],
  ["http", "modern", isFull],
] as const)("the inspector on %s (%s)", (transport, era, submits) => {
  const tool = async (name: string, args: object) => {
    const words = ["--tool-name", name, "--tool-args-json", JSON.stringify(args)];
    const { stdout, stderr } = await inspect(transport, era, "--method", "tools/call", ...words);
    const { content, isError } = JSON.parse(stdout || stderr);
    return { isError, value: JSON.parse(content[0].text) };
  };

  it("finds no schema of a tool that a client could fail on", async () => {
    const listed = await inspect(transport, era, "--method", "tools/list", "--strict");
    expect(listed.stderr).not.toMatch(/warning|error/i);
    expect(listed.code).toBe(0);
    const { tools } = JSON.parse(listed.stdout);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(Object.keys(TOOLS));
  });

  it.runIf(submits)("submits a session and finds it again", async () => {
    const session_id = `inspected-${transport}-${era}`;
    const submitted = await tool("submit_agent_session", { ...COMPLETE, session_id });
    expect(submitted.value).toEqual({ entity_id: expect.any(String), observation_count: 1 });
    const found = await tool("query_agent_history", { session_id });
    expect(found.value.snapshot).toEqual({ ...COMPLETE, session_id });
    const refused = await tool("submit_agent_session", { ...COMPLETE, session_id: "abc" });
    expect(refused).toMatchObject({
      isError: true,
      value: { error: "schema_validation_failed", details: { field: "session_id" } },
    });
    const uri = `belay://sessions/${session_id}`;
    const read = await inspect(transport, era, "--method", "resources/read", "--uri", uri);
    expect(read.stdout).toContain(session_id);
  });
});
