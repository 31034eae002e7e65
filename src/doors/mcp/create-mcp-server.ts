import type { ServerContext } from "@modelcontextprotocol/server";
import { Server } from "@modelcontextprotocol/server";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import { callTool } from "./call-tool.ts";
import { clientName } from "./client-name.ts";
import { LISTED_TOOLS } from "./listed-tools.ts";
import { listResources, readResource, SESSION_TEMPLATE } from "./read-resource.ts";
import { INSTRUCTIONS } from "./tools.ts";

/**
 * Belay as an MCP server for one connection or request, for one caller. It uses the low-level server, because only the
 * service validates arguments, so that every interface refuses the same things in the same words.
 */
export function createMcpServer(service: BelayService, base: Caller, version: string): Server {
  const server = new Server(
    { name: "belay", title: "Belay", version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const callerOf = (context: ServerContext): Caller => ({
    ...base,
    actor: clientName(server, context) ?? base.actor,
    interface: "mcp",
  });
  server.setRequestHandler("tools/list", () => ({ tools: [...LISTED_TOOLS] }));
  server.setRequestHandler("tools/call", ({ params }, context) =>
    callTool(service, callerOf(context), params.name, params.arguments ?? {}),
  );
  server.setRequestHandler("resources/list", ({ params }, context) =>
    listResources(service, callerOf(context), params?.cursor),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [SESSION_TEMPLATE],
  }));
  server.setRequestHandler("resources/read", ({ params }, context) =>
    readResource(service, callerOf(context), params.uri),
  );
  return server;
}
