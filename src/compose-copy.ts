import { copyFileSync, existsSync, readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { findLocal } from "./compose-local.ts";
import type { OpenedStore } from "./compose-sealed.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import type { Migration, MigrationAccess } from "./doors/cli/program.ts";
import { NewFolder } from "./files/new-folder.ts";
import { checkNeighbor, checkProcess } from "./process/process-identity.ts";
import { BACKED_UP, createMaintenance } from "./service/maintenance.ts";
import type { LocalStore } from "./service/read-store-address.ts";
import { isPostgresAddress } from "./service/read-store-address.ts";
import { SEALED_LIMITS } from "./store/append-rules.ts";
import { copyStore } from "./store/copy/copy-store.ts";
import { isSealed } from "./store/is-sealed.ts";
import type { Copyable } from "./store/log/copy-source.ts";
import { refuseExisting } from "./store/refuse-existing.ts";
import type { BackupReport } from "./store/store-care.ts";
import type { StreamStore } from "./store/stream-store.ts";

/** A store that an argument names: `sqlite:FOLDER`, `files:FOLDER` or `postgres://...`. */
type StorePlace =
  | { readonly kind: LocalStore; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string };

type CopyableStore = StreamStore & Copyable & Partial<Pick<OpenedStore, "inspect">>;

/** `belay migrate`: copies everything into another store. */
export function composeMigration(): MigrationAccess {
  return {
    async run({ from, to }, onProgress): Promise<Migration> {
      const [source, target] = [parsePlace(from), parsePlace(to)];
      if (await isSame(source, target)) throw sameStore(to);
      expectData(source);
      expectKind(target);
      const reader = await open(source, true);
      try {
        const writer = await open(target, false);
        try {
          return await migrate(reader, writer, source, target, onProgress);
        } finally {
          await writer.close();
        }
      } finally {
        await reader.close();
      }
    },
  };
}

async function migrate(
  reader: CopyableStore,
  writer: CopyableStore,
  from: StorePlace,
  to: StorePlace,
  onProgress: (done: number, total: number) => void,
): Promise<Migration> {
  const source = await reader.openSource();
  const report = await copyStore(source, writer, onProgress).finally(() => source.close());
  // The meaning of the contents cannot have changed: all hashes are the same.
  const { ok } = await createMaintenance(writer).verify(undefined, { without_key: true });
  if (!ok) throw notSound();
  const settings = "folder" in from && "folder" in to ? copySettings(from.folder, to.folder) : [];
  const now = await reader.openSource();
  const newer = (await now.countEvents().finally(() => now.close())) - report.events;
  return { ...report, settings, newer: Math.max(0, newer), encrypted: await isSealed(writer) };
}

/** The settings that belong to the data; the durability belongs to its store. */
function copySettings(from: string, to: string): string[] {
  const names = BACKED_UP.filter((name) => name !== "storage.json");
  return names.filter((name) => {
    if (!existsSync(join(from, name)) || existsSync(join(to, name))) return false;
    copyFileSync(join(from, name), join(to, name));
    return true;
  });
}

/**
 * Copies a database as of one moment into a new data folder with SQLite. `belay verify` checks the copy, and
 * `belay migrate` restores it into any store.
 */
export async function backUpDatabase(
  store: Copyable,
  home: string,
  path: string,
  onProgress?: (done: number, total: number) => void,
  beside: readonly string[] = [],
): Promise<BackupReport> {
  const made = new NewFolder(path, refuseExisting);
  try {
    const copy = await openSqlite(made.partial, false);
    try {
      const source = await store.openSource();
      await copyStore(source, copy, onProgress).finally(() => source.close());
    } finally {
      await copy.close();
    }
    const included = beside.filter((name) => existsSync(join(home, name)));
    for (const name of included) copyFileSync(join(home, name), join(made.partial, name));
    made.finish();
    const others = existsSync(home) ? readdirSync(home) : [];
    return { included, left_out: others.filter((name) => !included.includes(name)) };
  } catch (error) {
    made.remove();
    throw error;
  }
}

function parsePlace(text: string): StorePlace {
  if (isPostgresAddress(text)) return { kind: "postgres", url: text };
  const [, kind, folder] = /^(sqlite|files):(.+)$/s.exec(text) ?? [];
  if (folder !== undefined && (kind === "sqlite" || kind === "files")) {
    return { kind, folder: resolve(folder) };
  }
  // Not the whole value, because it may contain a password.
  const message =
    "Name a store as sqlite:FOLDER, files:FOLDER or postgres://USER:PASSWORD@HOST/DATABASE.";
  throw new BelayError(refuse("usage", message));
}

async function isSame(one: StorePlace, other: StorePlace): Promise<boolean> {
  if ("folder" in one) return "folder" in other && realPath(one.folder) === realPath(other.folder);
  if (!("url" in other)) return false;
  const { isSameDatabase } = await import("./store/postgres/care/is-same-database.ts");
  return isSameDatabase(one.url, other.url);
}

function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

function expectData(place: StorePlace): void {
  if (!("folder" in place) || findLocal(place.folder) === place.kind) return;
  const { kind, folder } = place;
  const message = `No store of kind "${kind}" in ${folder}. Name the folder and the kind of its store.`;
  throw new BelayError(refuse("storage_missing", message, { folder, kind }));
}

function expectKind(place: StorePlace): void {
  const found = "folder" in place ? findLocal(place.folder) : null;
  if (!("folder" in place) || found === null || found === place.kind) return;
  const { folder, kind } = place;
  const message = `The folder ${folder} has a store of kind "${found}", not "${kind}". Name another folder.`;
  throw new BelayError(refuse("storage_unsupported", message, { folder, found }));
}

/** As it is stored: encrypted contents stay encrypted, so no key is needed. */
async function open(place: StorePlace, readOnly: boolean): Promise<CopyableStore> {
  if ("url" in place) {
    const { openPostgresStore } = await import("./store/postgres/open-postgres-store.ts");
    const { url } = place;
    const how = { isAlive: checkNeighbor, limits: SEALED_LIMITS, mustExist: readOnly };
    return openPostgresStore({ url, ...how });
  }
  const { kind, folder } = place;
  if (kind === "sqlite") return openSqlite(folder, readOnly);
  const { openFilesStore } = await import("./store/files/open-files-store.ts");
  const limits = SEALED_LIMITS;
  return openFilesStore({ folder, isAlive: checkProcess, limits });
}

/** The target is synced when it is closed; until then, an interrupted copy continues or starts again. */
async function openSqlite(folder: string, readOnly: boolean): Promise<CopyableStore> {
  const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
  const limits = SEALED_LIMITS;
  const how = readOnly ? { readOnly } : { synchronous: "NORMAL" as const };
  return openSqliteStore({ folder, isAlive: checkProcess, limits, ...how });
}

function sameStore(place: string): BelayError {
  const kind = place.slice(0, place.indexOf(":"));
  const message = `The source and the target are the same ${kind} store. Name another target.`;
  return new BelayError(refuse("usage", message));
}

function notSound(): BelayError {
  const message =
    "The copy was found damaged. Check the disk of the target, and run this again with an empty target.";
  return new BelayError(refuse("storage_damaged", message));
}
