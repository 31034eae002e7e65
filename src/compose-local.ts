import { BelayError, refuse } from "./contract/errors.ts";
import { type LocalStore, readStoreAddress, readStoreKind } from "./service/read-store-address.ts";
import { hasFiles } from "./store/files/disk/has-files.ts";
import { dataFolder, hasData } from "./store/sqlite/database/data-folder.ts";
import type { StreamStore } from "./store/stream-store.ts";

/**
 * The store of a data folder: the one that is there, or else the one that the environment names. A folder has one store,
 * so another choice is refused.
 */
export function chooseLocal(home: string): LocalStore {
  const asked = readStoreKind(process.env);
  const found = findLocal(home);
  if (asked && found && asked !== found) throw otherStore(home, found, asked);
  return found ?? asked ?? "sqlite";
}

/** Null for a folder without data. */
export function findLocal(home: string): LocalStore | null {
  const isSqlite = hasData(dataFolder(home));
  if (!hasFiles(home)) return isSqlite ? "sqlite" : null;
  if (isSqlite) throw twoStores(home);
  return "files";
}

/** The folder for readable records of sessions: beside a store that is readable itself. */
export function recordsFolder(home: string, { fileSeal }: StreamStore): string | null {
  if (fileSeal || readStoreAddress(process.env) !== undefined) return null;
  return chooseLocal(home) === "files" ? home : null;
}

function otherStore(home: string, found: LocalStore, asked: LocalStore): BelayError {
  const message = `BELAY_STORE is "${asked}", but the data folder ${home} has a store of kind "${found}". Unset BELAY_STORE, or set BELAY_HOME to another folder.`;
  return new BelayError(refuse("storage_unsupported", message, { home, found, asked }));
}

function twoStores(home: string): BelayError {
  const message = `The data folder ${home} has two stores: belay.db and files.json. Move the files of one of them to another folder.`;
  return new BelayError(refuse("storage_unsupported", message, { home }));
}
