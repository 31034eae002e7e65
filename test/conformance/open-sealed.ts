import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import type { StoreSettings } from "../../src/store/conformance/suite.ts";
import { isSealed } from "../../src/store/is-sealed.ts";
import { KeyRing } from "../../src/store/sealed/key-ring.ts";
import { toMasterKey } from "../../src/store/sealed/master-key.ts";
import { sealedStore } from "../../src/store/sealed/sealed-store.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { openSharedMemory } from "./open-shared-memory.ts";

export const MASTER = toMasterKey(Buffer.alloc(32, 7));

export async function openSealedMemory(place: StoreSettings): Promise<StreamStore> {
  return sealInner(openSharedMemory({ ...place, limits: SEALED_LIMITS }), place);
}

export async function openSealedSqlite(place: StoreSettings): Promise<SqliteStore> {
  return sealInner(await openSqliteStore({ ...place, limits: SEALED_LIMITS }), place);
}

/** A store around one that was opened with `SEALED_LIMITS`. */
export async function sealInner<S extends StreamStore>(
  inner: S,
  { listing }: Pick<StoreSettings, "listing">,
): Promise<S> {
  const options = { load: async () => [MASTER], declared: listing };
  const isThere = await isSealed(inner);
  const ring = await (isThere ? KeyRing.open(inner, options) : KeyRing.create(inner, options));
  return sealedStore(inner, ring, listing);
}
