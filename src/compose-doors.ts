import about from "../package.json" with { type: "json" };
import type { GraphqlDoor } from "./doors/graphql/graphql-door.ts";
import type { HttpParts } from "./doors/http/http-parts.ts";
import type { McpDoor } from "./doors/mcp/mcp-door.ts";
import type { LiveAccess } from "./drive/run/live-access.ts";
import type { BelayService } from "./service/belay-service.ts";

interface Doors {
  readonly graphql: HttpParts["graphql"];
  readonly mcp: HttpParts["doors"]["mcp"];
  close(): Promise<void>;
}

/** Interfaces besides REST. Each is loaded on first use, because they are large and most servers never need them. */
export function composeDoors(
  service: BelayService,
  live: LiveAccess,
  report: (error: unknown) => void,
): Doors {
  let mcp: Promise<McpDoor> | null = null;
  const openMcp = async (): Promise<McpDoor> => {
    const { createMcpDoor } = await import("./doors/mcp/mcp-door.ts");
    return createMcpDoor(service, about.version, report);
  };
  let graphql: GraphqlDoor | null = null;
  const openGraphql = async (): Promise<GraphqlDoor> => {
    const { createGraphqlDoor } = await import("./doors/graphql/graphql-door.ts");
    graphql ??= createGraphqlDoor({ service, ...live, report });
    return graphql;
  };
  return {
    graphql: {
      answer: (...asked) =>
        graphql
          ? graphql.answer(...asked)
          : openGraphql().then((opened) => opened.answer(...asked)),
      async converse(peer) {
        await (graphql ?? (await openGraphql())).converse(peer);
      },
    },
    async mcp(request, response, body, caller) {
      mcp ??= openMcp();
      await (await mcp).handle(request, response, body, caller);
    },
    async close() {
      await (await mcp)?.close();
    },
  };
}
