import { createGraphqlDoor } from "../../src/interfaces/graphql/graphql-door.ts";
import { createMcpDoor } from "../../src/interfaces/mcp/mcp-door.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { readDetails } from "../../src/service/read/read-details.ts";
import { storeFor } from "../../src/service/recorder-store.ts";
import type { Caller } from "../../src/service/service-context.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { openServer, type TestServer } from "./open-server.ts";

export interface Doors extends TestServer {
  /** Makes of each caller what the service is told of it. */
  change: (caller: Caller) => Caller;
}

/** The real doors behind the real gate, for all tests of a file. */
export async function openDoors(): Promise<Doors> {
  const stores: StreamStore[] = [];
  const server: TestServer = await openServer({
    shared: true,
    wrap: (store) => {
      stores.push(store);
      return store;
    },
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
  const [store] = stores;
  if (!store) throw new Error("no store was opened");
  const doors: Doors = { ...server, change: (caller) => caller };
  const service: BelayService = {
    call: (name, input, caller) => server.service.call(name, input, doors.change(caller)),
  };
  const mcp = createMcpDoor(service, "0.0.0-test");
  const graphql = createGraphqlDoor({
    service,
    details: (caller) => readDetails(storeFor(store, caller)),
    watch: (id, from, signal) => server.runner.watchLog(id, from, signal),
    awaitTurn: (caller, sent, ms, signal) => server.runner.awaitTurn(caller, sent, ms, signal),
    expectAgent: (name, cwd) => server.runner.expectAgent(name, cwd),
    report: () => {},
  });
  return doors;
}
