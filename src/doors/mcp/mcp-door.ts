import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeIncomingMessageLike } from "@modelcontextprotocol/node";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isInitializeRequest } from "@modelcontextprotocol/server";
import { isRecord } from "../../contract/is-record.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import { plainName } from "./client-name.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { readMcpSessionId, writeMcpSessionId } from "./mcp-session-id.ts";
import { reportUnexpected } from "./report-unexpected.ts";

export interface McpDoor {
  /** Answers one authenticated request. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
    caller: Caller,
  ): Promise<void>;
  /** Accepts no more requests, and waits briefly for running ones. */
  close(): Promise<void>;
}

const SESSION_HEADER = "mcp-session-id";
const PATIENCE_MS = 2_000;

/**
 * MCP over streamable HTTP. Each request has a server of its own for its caller, so that clients share nothing: no ids,
 * no streams, no state. Unexpected errors go to `report`.
 */
export function createMcpDoor(
  service: BelayService,
  version: string,
  report: (error: unknown) => void = () => {},
): McpDoor {
  const told = reportUnexpected(service, report);
  const underWay = new Map<ServerResponse, Promise<void>>();
  let closing = false;

  return {
    async handle(request, response, body, caller) {
      if (closing) return refuseWith(response, 503, -32000, "Server is shutting down");
      if (countRequests(body) > 1) {
        const message = "A batch can contain only one request. Send the others separately.";
        return refuseWith(response, 400, -32600, message);
      }
      const peer = { owner: caller.owner, credentials: credentialsOf(request) };
      const id = request.headers[SESSION_HEADER];
      const client = id === undefined ? null : readMcpSessionId(String(id), peer);
      if (id !== undefined && client === null) {
        return refuseWith(response, 404, -32001, "Session not found");
      }
      // A client can make such an id itself, with any name.
      const actor = plainName(client ?? undefined) ?? caller.actor;
      const handler = createMcpHandler(
        () => createMcpServer(told, { ...caller, actor }, version),
        // There are no subscriptions, because neither tools nor resources announce changes.
        { maxSubscriptions: 0 },
      );
      const answer = toNodeHandler({
        async fetch(asked, options) {
          const answered = await handler.fetch(asked, options);
          if (answered.ok && isInitializeRequest(body)) {
            const name = plainName(body.params.clientInfo.name) ?? "";
            answered.headers.set(SESSION_HEADER, writeMcpSessionId(name, peer));
          }
          return answered;
        },
      });
      const done = answer(asAsked(request), response, body);
      underWay.set(response, done);
      await done.finally(() => underWay.delete(response));
    },

    async close() {
      closing = true;
      const timer = setTimeout(() => {
        for (const response of underWay.keys()) response.destroy();
      }, PATIENCE_MS);
      await Promise.allSettled(underWay.values());
      clearTimeout(timer);
    },
  };
}

/** Old clients may send several messages at once, and their answers together would have no limit. */
function countRequests(body: unknown): number {
  if (!Array.isArray(body)) return 1;
  return body.filter((message) => isRecord(message) && "method" in message && "id" in message)
    .length;
}

function asAsked(request: IncomingMessage): NodeIncomingMessageLike {
  const { method = "GET", url = "/", headers } = request;
  return { method, url, headers, [Symbol.asyncIterator]: () => request[Symbol.asyncIterator]() };
}

/** The gate has checked the credentials; here they only distinguish clients. */
function credentialsOf({ headers }: IncomingMessage): string {
  return headers.authorization ?? "";
}

function refuseWith(response: ServerResponse, status: number, code: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}
