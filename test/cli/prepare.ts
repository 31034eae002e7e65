import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { defaultOwner } from "../../src/service/home-folder.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

export interface Prepared {
  readonly service: BelayService;
  /** The user of the command line. */
  readonly caller: Caller;
  readonly clock: { now: number };
}

/** Prepares a data folder without a process for each step. */
export async function prepare(folder: string, use: (prepared: Prepared) => Promise<void>) {
  const store = await openSqliteStore({ folder, isAlive, synchronous: "OFF" });
  const clock = { now: Date.now() - 3_600_000 };
  const service = createService({ ...createContext(store), now: () => clock.now });
  const by = { actor: "test", interface: "library", trace_id: null } as const;
  await use({ service, caller: { owner: defaultOwner(), ...by }, clock });
  await store.close();
}
