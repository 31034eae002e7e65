import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { Scope } from "../../src/contract/vocabulary.ts";
import type { McpDoor } from "../../src/doors/mcp/mcp-door.ts";
import { createMcpDoor } from "../../src/doors/mcp/mcp-door.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

/** `belay mcp`, the real program. */
export const BELAY_MCP = [fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url)), "mcp"];

/** Both transports, each in the newest protocol and in an older one. */
export const WAYS = [
  { way: "stdio", mode: "legacy" },
  { way: "stdio", mode: "auto" },
  { way: "http", mode: "legacy" },
  { way: "http", mode: "auto" },
] as const;
export type Way = (typeof WAYS)[number];

export interface McpLab {
  readonly home: string;
  readonly service: BelayService;
  readonly url: string;
  readonly door: McpDoor;
  /** The environment of a child that serves this lab's data. */
  readonly env: Record<string, string>;
  readonly caller: Caller;
  connect(way: Way, client?: { name?: string; token?: string }): Promise<Client>;
  close(): Promise<void>;
}

/** A data folder, the interface on a small HTTP server that accepts every token, and clients of both. */
export async function openLab(): Promise<McpLab> {
  const home = mkdtempSync(join(tmpdir(), "belay-mcp-"));
  const store = await openSqliteStore({ folder: home, isAlive });
  const service = createService(createContext(store));
  const door = createMcpDoor(service, "0.0.0-test");
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const parsed = body === "" ? undefined : JSON.parse(body);
    await door.handle(request, response, parsed, callerOf(request.headers.authorization ?? ""));
  });
  const url = await listen(server);
  const env = { PATH: process.env.PATH ?? "", HOME: home, BELAY_HOME: home, BELAY_OWNER: "ann" };
  const clients: Client[] = [];
  return {
    home,
    service,
    url,
    door,
    env,
    caller: callerOf(bearer("ann")),
    async connect({ way, mode }, { name = "test-client", token = "ann" } = {}) {
      const client = new Client(
        { name, version: "1.0.0" },
        { versionNegotiation: { mode }, capabilities: {} },
      );
      const headers = { authorization: bearer(token) };
      await client.connect(
        way === "stdio"
          ? new StdioClientTransport({ command: process.execPath, args: BELAY_MCP, env })
          : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
      );
      clients.push(client);
      return client;
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await door.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** A token is an owner's name, with its purpose and scope: `ann`, `ann/ci`, `ann/ci/read`. */
function callerOf(authorization: string): Caller {
  const [owner = "", name = "token", scope = "write"] = authorization
    .replace(/^Bearer /, "")
    .split("/");
  return {
    owner,
    actor: `token:${name}`,
    interface: "api",
    trace_id: null,
    scope: SCOPES[scope] ?? "write",
    project: null,
  };
}

const SCOPES: Readonly<Record<string, Scope>> = { read: "read", write: "write", admin: "admin" };

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  return `http://127.0.0.1:${address.port}/mcp`;
}

export interface Answer {
  readonly isError: boolean;
  /** The text content, parsed. */
  readonly value: ReturnType<typeof JSON.parse>;
  readonly text: string;
  readonly structured: unknown;
}

export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const [content] = result.content;
  if (content?.type !== "text") throw new Error(`no text in ${JSON.stringify(result)}`);
  return {
    isError: result.isError === true,
    value: JSON.parse(content.text),
    text: content.text,
    structured: result.structuredContent,
  };
}
