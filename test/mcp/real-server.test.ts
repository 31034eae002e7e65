import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { COMPLETE } from "../core/document-payload.ts";
import type { TestServer } from "../http/open-server.ts";
import { openServer } from "../http/open-server.ts";
import { call } from "./mcp-lab.ts";

async function connect(server: TestServer, token: string, mode: "legacy" | "auto") {
  const client = new Client({ name: "agent-nine", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return { client, transport };
}

describe("MCP behind the gate", () => {
  it.each(["legacy", "auto"] as const)("serves clients with a token (%s)", async (mode) => {
    const server = await openServer();
    const { client } = await connect(server, server.tokens.ann.write, mode);
    const submitted = await call(client, "submit_agent_session", COMPLETE);
    expect(submitted.value).toEqual({ entity_id: expect.any(String), observation_count: 1 });
    const shown = await server.ask("GET", "/sessions/abc123");
    expect(shown.json).toMatchObject({ agent_name: "agent-nine", interface: "mcp", owner: "ann" });
    const looker = await connect(server, server.tokens.ann.read, mode);
    const history = await call(looker.client, "query_agent_history", { session_id: "abc123" });
    expect(history.value.snapshot).toEqual(COMPLETE);
    const refused = await call(looker.client, "submit_agent_session", COMPLETE);
    expect(refused.value.error).toBe("not_allowed");
    const bob = await connect(server, server.tokens.bob.write, mode);
    expect((await call(bob.client, "query_agent_history", {})).value).toEqual([]);
    await Promise.all([client.close(), looker.client.close(), bob.client.close()]);
  });

  it("refuses a revoked token, and a request without one", async () => {
    const server = await openServer();
    const { id, token } = await server.makeToken("ann", "write");
    const { client, transport } = await connect(server, token, "legacy");
    const session = transport.sessionId ?? "";
    expect(session).not.toBe("");
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const accept = "application/json, text/event-stream";
    const ask = (other: string | null) =>
      server.ask("POST", "/mcp", {
        token: other,
        body,
        headers: { "mcp-session-id": session, accept },
      });
    expect((await ask(token)).status).toBe(200);
    expect((await ask(server.tokens.ann.write)).status).toBe(404);
    expect((await ask(server.tokens.bob.write)).status).toBe(404);
    expect((await ask(null)).status).toBe(401);
    await server.revoke(id);
    expect((await ask(token)).status).toBe(401);
    expect(server.log()).not.toContain(session);
    await client.close();
  });
});
