import { chooseLocal, findLocal } from "./compose-local.ts";
import { type OpenedStore, openSealed } from "./compose-sealed.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import type { Durability } from "./contract/vocabulary.ts";
import { checkNeighbor, checkProcess } from "./process/process-identity.ts";
import { readLeaseMs, readRedisAddress, readStoreAddress } from "./service/read-store-address.ts";
import type { ContentLimits } from "./store/append-rules.ts";
import type { NodeMessages } from "./store/node-messages.ts";
import type { NodeRegistry } from "./store/node-registry.ts";
import type { Fact } from "./store/store-care.ts";

interface StorePlace {
  /** The data folder. If the environment names a database, the sessions are stored there instead. */
  readonly home: string;
  /** Receives a sentence for each thing that was corrected while opening. */
  readonly onNotice: (text: string) => void;
  readonly durability?: Durability | undefined;
}

/**
 * Opens the store that the environment names: a PostgreSQL database, or the data folder with SQLite or files. Databases
 * compress large contents; files stay readable. If the environment has a key, everything is encrypted.
 */
export async function openStore(place: StorePlace): Promise<OpenedStore> {
  const { home } = place;
  const store = await openSealed(home, process.env, (limits) => openPlainStore(place, limits));
  // Loaded late, so that a Node without zstd can use the library with a store of the caller's.
  const { codedStore } = await import("./store/codec/coded-store.ts");
  const { zstdCodec } = await import("./store/codec/zstd-codec.ts");
  return codedStore(store, isReadable(home) ? zstdCodec(Number.POSITIVE_INFINITY) : zstdCodec());
}

/** The store as the database has it, encrypted or not. */
export async function openPlainStore(
  { home, onNotice, durability }: StorePlace,
  limits?: ContentLimits,
): Promise<OpenedStore> {
  const url = readStoreAddress(process.env);
  if (url === undefined && chooseLocal(home) === "files") {
    if (durability === "process") throw new BelayError(alwaysSynced());
    const { openFilesStore } = await import("./store/files/open-files-store.ts");
    return openFilesStore({ folder: home, isAlive: checkProcess, limits });
  }
  if (url === undefined) {
    const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
    return openSqliteStore({ folder: home, durability, isAlive: checkProcess, onNotice, limits });
  }
  if (durability !== undefined) throw new BelayError(chosenByServer());
  const { openPostgresStore } = await import("./store/postgres/open-postgres-store.ts");
  const leaseMs = readLeaseMs(process.env);
  const store = await openPostgresStore({
    url,
    folder: home,
    isAlive: checkNeighbor,
    leaseMs,
    limits,
  });
  return {
    ...store,
    async backup(path, onProgress, beside) {
      const { backUpDatabase } = await import("./compose-copy.ts");
      return backUpDatabase(store, home, path, onProgress, beside);
    },
  };
}

/** Messages between nodes, through the Redis server that the environment names; null if it names none. */
export async function openMessages(
  nodes: NodeRegistry | undefined,
  onProblem: (problem: string | null) => void,
): Promise<NodeMessages | null> {
  const url = readRedisAddress(process.env);
  if (url === undefined || !nodes) return null;
  const { RedisMessages } = await import("./store/redis/redis-messages.ts");
  return new RedisMessages({ url, secret: await nodes.readSecret(), onProblem });
}

/** The lines of `doctor` about what carries messages between nodes. */
export async function describeMessages(): Promise<Fact[]> {
  const url = readRedisAddress(process.env);
  if (url === undefined) return [];
  return [await (await import("./store/redis/describe-redis.ts")).describeRedis(url)];
}

function isReadable(home: string): boolean {
  return readStoreAddress(process.env) === undefined && chooseLocal(home) === "files";
}

function alwaysSynced() {
  const message = `A store in files always has durability "power". Leave the option out, or use SQLite.`;
  return refuse("storage_unsupported", message);
}

function chosenByServer() {
  const message =
    "Durability cannot be chosen for PostgreSQL. Leave the option out, and use the settings of the database server.";
  return refuse("storage_unsupported", message);
}

/** True if a store exists, for commands that must not create one. */
export async function hasStore(home: string): Promise<boolean> {
  if (readStoreAddress(process.env)) return true;
  return findLocal(home) !== null;
}
