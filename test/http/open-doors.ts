import { liveAccess } from "../../src/drive/run/live-access.ts";
import { createGraphqlDoor } from "../../src/interfaces/graphql/graphql-door.ts";
import { createMcpDoor } from "../../src/interfaces/mcp/mcp-door.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openServer, type TestServer } from "./open-server.ts";

export interface Doors extends TestServer {
  /** Changes each caller before it reaches the service. */
  change: (caller: Caller) => Caller;
}

/** The real interfaces behind the real gate, for all tests of a file. */
export async function openDoors(): Promise<Doors> {
  const server: TestServer = await openServer({
    shared: true,
    parts: {
      doors: {
        mcp: (request, response, body, caller) => mcp.handle(request, response, body, caller),
        hook: async () => "",
      },
      service: { call: (name, input, caller) => service.call(name, input, caller) },
      graphql: {
        answer: (...asked) => graphql.answer(...asked),
        converse: (peer) => graphql.converse(peer),
      },
    },
  });
  const doors: Doors = { ...server, change: (caller) => caller };
  const service: BelayService = {
    call: (name, input, caller) => server.service.call(name, input, doors.change(caller)),
  };
  const mcp = createMcpDoor(service, "0.0.0-test");
  const live = liveAccess(server.runner);
  const graphql = createGraphqlDoor({
    service,
    ...live,
    watch: (caller, ...followed) => live.watch(doors.change(caller), ...followed),
    report: () => {},
  });
  return doors;
}
