import { dirname } from "node:path";
import { composeAgents } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { BelayError } from "../../src/contract/errors.ts";
import type { OperationName, Output } from "../../src/contract/operations.ts";
import { serveImports } from "../../src/integrations/serve-imports.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import type { Answer, Door, Fields } from "./door.ts";
import { ACTOR } from "./door.ts";

const CALLER: Caller = { owner: "local", actor: ACTOR, interface: "library", trace_id: null };

export interface ServiceDoor extends Door {
  call(operation: OperationName, input: Fields): Promise<Answer>;
  perform<K extends OperationName>(operation: K, input: Fields): Promise<Output<K>>;
}

/** The service itself on a store of this process: by default that of the data folder. */
export async function openServiceDoor(home: string, given?: StreamStore): Promise<ServiceDoor> {
  const store = given ?? (await openSqliteStore({ folder: home, isAlive }));
  // Like a server whose user's home is this folder's parent.
  const imports = serveImports({ env: {}, userHome: dirname(home), owner: null });
  const runner = composeAgents(home, { ...createContext(store), imports }, "library");
  const service = createService(runner.context);
  return {
    perform: (operation, input) => service.call(operation, input, CALLER),
    async call(operation, input) {
      try {
        return { ok: true, value: await service.call(operation, input, CALLER) };
      } catch (error) {
        if (error instanceof BelayError) return { ok: false, error: error.code };
        throw error;
      }
    },
    present: (_operation, output) => output,
    async close() {
      await runner.close();
      await store.close();
    },
  };
}
