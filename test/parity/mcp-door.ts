import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { OperationName } from "../../src/contract/operations.ts";
import type { McpTool } from "../../src/doors/mcp/tools.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { type RealServer, readJson, textOf } from "../serve/server-process.ts";
import type { Answer, Door, Fields } from "./door.ts";
import { ACTOR, withoutFixed } from "./door.ts";

/** A real client of a real server, with the table of tools. */
export async function openMcpDoor(server: RealServer): Promise<Door> {
  const client = await connect(server);
  return {
    call(operation, input) {
      const [name, tool] = toolOf(operation);
      const given = tool && withoutFixed(input, tool.fixed);
      return given && callTool(client, name, given);
    },
    present(operation, output, input) {
      const present = toolOf(operation)[1]?.present;
      return present ? present(output, input).value : output;
    },
    async close() {
      await client.close();
      await server.end();
    },
  };
}

export async function connect({ url, token }: RealServer): Promise<Client> {
  const client = new Client({ name: ACTOR, version: "1.0.0" }, { capabilities: {} });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

export async function callTool(client: Client, name: string, args: Fields): Promise<Answer> {
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [told] = content;
  const value = told?.type === "text" ? readJson(told.text) : undefined;
  return isError ? { ok: false, error: textOf(value, "error") } : { ok: true, value };
}

function toolOf(operation: OperationName): [string, McpTool | undefined] {
  const found = Object.entries<McpTool>(TOOLS).find(([, tool]) => tool.operation === operation);
  return found ?? ["", undefined];
}
