import { createHash } from "node:crypto";
import { createService } from "../../src/compose-service.ts";
import type { OperationName, Output } from "../../src/contract/operations.ts";
import { createMaintenance, type Maintenance } from "../../src/service/maintenance.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

/** The service on a folder with direct access to its store; its time stands still and its ids are always the same. */
export interface OpenService {
  readonly store: SqliteStore;
  readonly maintenance: Maintenance;
  call<K extends OperationName>(name: K, input: unknown): Promise<Output<K>>;
}

export const NOW = Date.parse("2026-03-01T12:00:00Z");
export const OWNER = "local";

export async function openService(folder: string, now = () => NOW): Promise<OpenService> {
  const store = await openSqliteStore({ folder, isAlive: () => true });
  let made = 0;
  const newId = () => {
    made += 1;
    const hex = createHash("sha256").update(`${now()} ${made}`).digest("hex");
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-7$3-8$4-$5");
  };
  const service = createService({ store, now, newId });
  const caller = { owner: OWNER, actor: "tester", interface: "library", trace_id: null } as const;
  return {
    store,
    maintenance: createMaintenance(store),
    call: (name, input) => service.call(name, input, caller),
  };
}
