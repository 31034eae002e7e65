import { chooseLocal } from "./compose-local.ts";
import { visibleLine } from "./contract/visible-text.ts";
import { isWithoutMirrors, markWithoutMirrors } from "./files/mirrors-mark.ts";
import type { SpoolPlaces } from "./integrations/claude/spool.ts";
import { listSpool } from "./integrations/claude/spool.ts";
import { hasKeySource, readStoreAddress } from "./service/read-store-address.ts";
import type { ServiceContext } from "./service/service-context.ts";
import { dataFolder } from "./store/sqlite/database/data-folder.ts";
import { findUnused, identifyDatabase } from "./store/sqlite/database/unused-database.ts";
import type { StreamStore } from "./store/stream-store.ts";

/**
 * True if a hook's event may wait in the spool, because nothing can show its session before the event is delivered: no
 * process has the database open, each that opens it delivers the spool first, and there are no mirrors.
 */
export function mayEventsWait(home: string): boolean {
  if (!isPlainSqlite(home)) return false;
  const database = findUnused(dataFolder(home));
  return database !== null && isWithoutMirrors(home, database);
}

/** Stores for `mayEventsWait` that no workspace has mirrors, unless that is stored already. */
export async function noteMirrors(home: string, store: StreamStore): Promise<void> {
  if (!isPlainSqlite(home)) return;
  const database = identifyDatabase(dataFolder(home));
  if (isWithoutMirrors(home, database)) return;
  const { findMirrors } = await import("./service/read/find-mirrors.ts");
  if ((await findMirrors(store)).length === 0) markWithoutMirrors(home, database);
}

function isPlainSqlite(home: string): boolean {
  if (readStoreAddress(process.env) !== undefined || hasKeySource(process.env)) return false;
  return chooseLocal(home) === "sqlite";
}

/**
 * Delivers the sightings that hooks left, before anyone reads sessions. A failure does not stop the caller. Each sighting
 * that is set aside is a notice.
 */
export async function deliverWaiting(
  context: ServiceContext,
  places: SpoolPlaces & { readonly owner: string },
  onNotice: (text: string) => void,
): Promise<void> {
  if (listSpool(places).length === 0) return;
  const { deliverSpool } = await import("./integrations/claude/deliver-spool.ts");
  const delivery = await deliverSpool(context, places).catch(() => null);
  for (const reason of delivery?.rejected ?? []) {
    onNotice(`a hook event was set aside: ${visibleLine(reason)}`);
  }
}
