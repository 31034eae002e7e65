import type { Caller } from "../../src/service/service-context.ts";
import { openServer, type TestServer } from "./open-server.ts";

export interface Doors extends TestServer {
  /** Changes each caller before it reaches the service. */
  change: (caller: Caller) => Caller;
}

/** A real server for all tests of a file, whose callers can be changed. */
export async function openDoors(): Promise<Doors> {
  const unchanged = (caller: Caller): Caller => caller;
  const changed = { change: unchanged };
  const server = await openServer({
    shared: true,
    // The files on the machine are of the user who runs the server.
    owner: "ann",
    broken: (app) => ({
      ...app,
      service: {
        call: (name, input, caller) => app.service.call(name, input, changed.change(caller)),
      },
      live: {
        ...app.live,
        watch: (caller, ...followed) => app.live.watch(changed.change(caller), ...followed),
      },
    }),
  });
  return Object.assign(changed, server);
}
