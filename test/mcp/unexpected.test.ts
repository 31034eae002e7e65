import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { callTool } from "../../src/doors/mcp/call-tool.ts";
import { reportUnexpected } from "../../src/doors/mcp/report-unexpected.ts";
import { runMcp } from "../../src/doors/mcp/run-mcp.ts";
import { onMemory } from "../service/on-memory.ts";

/** A service with a faulty store. */
function broken() {
  const lab = onMemory();
  lab.store.list = async () => {
    throw new TypeError("secret of the store");
  };
  return lab;
}

describe("an unexpected error", () => {
  it("is logged, and the client only learns that it happened", async () => {
    const { service, caller } = broken();
    const reported: unknown[] = [];
    const told = reportUnexpected(service, (error) => reported.push(error));
    const answer = await callTool(told, caller, "list_sessions", {});
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: "internal" } });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(reported).toEqual([new TypeError("secret of the store")]);
    await callTool(told, caller, "get_session", { id: "../x" });
    expect(reported).toHaveLength(1);
  });

  it("goes to stderr on stdio, never to stdout", async () => {
    const { service, caller } = broken();
    const streams = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    };
    const call = { name: "list_sessions", arguments: {} };
    streams.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call })}\n`,
    );
    await runMcp(service, caller, streams, "0");
    streams.stdout.end();
    streams.stderr.end();
    expect(await text(streams.stdout)).not.toContain("secret");
    expect(await text(streams.stderr)).toBe("belay mcp: secret of the store\n");
  });
});
