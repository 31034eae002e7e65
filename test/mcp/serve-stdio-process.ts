import { runMcp } from "../../src/interfaces/mcp/serve-stdio.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { createService } from "../../src/service/belay-service.ts";
import { createContext } from "../../src/service/create-context.ts";
import { defaultOwner, homeFolder } from "../../src/service/home-folder.ts";
import { newId } from "../../src/service/new-id.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

/** The door on stdio as a process of its own, with nothing around it. */
const store = await openSqliteStore({ folder: homeFolder(), isAlive });
const base = {
  owner: defaultOwner(),
  actor: "mcp",
  interface: "mcp",
  trace_id: newId(),
  project: null,
} as const;
await runMcp(createService(createContext(store)), base, process, "0.0.0-test");
await store.close();
