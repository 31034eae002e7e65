import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createService } from "../src/compose-service.ts";
import { SESSION_LISTING } from "../src/contract/stream.ts";
import type { Durability } from "../src/contract/vocabulary.ts";
import { newId } from "../src/service/new-id.ts";
import { SEALED_LIMITS } from "../src/store/append-rules.ts";
import { codedStore } from "../src/store/codec/coded-store.ts";
import { zstdCodec } from "../src/store/codec/zstd-codec.ts";
import { isSealed } from "../src/store/is-sealed.ts";
import { KeyRing } from "../src/store/sealed/key-ring.ts";
import { toMasterKey } from "../src/store/sealed/master-key.ts";
import { sealedStore } from "../src/store/sealed/sealed-store.ts";
import { openSqliteStore, type SqliteStore } from "../src/store/sqlite/open-sqlite-store.ts";
import type { Append } from "../src/store/stream-store.ts";
import { newSession, toCalls } from "./belay-calls.ts";
import type { Contender, OpenContender } from "./contender.ts";
import { folderBytes } from "./folder-bytes.ts";

/** Belay as its users have it: through the service, with all its checks. */
export const belay: Contender = { name: "Belay", open: (folder) => open(folder, "power", asItIs) };

/** The same with everything encrypted. */
export const belayEncrypted: Contender = {
  name: "Belay, encrypted",
  open: (folder) => open(folder, "power", encrypted),
};

/** The same on a data folder with the durability of the peers. */
export const belayUnsynced: Contender = {
  name: "Belay, durability process",
  durability: "process",
  open: (folder) => open(folder, "process", asItIs),
};

const seedBatch = 1000;

type Wrap = (store: SqliteStore) => Promise<SqliteStore>;

const asItIs: Wrap = async (store) => store;

const encrypted: Wrap = async (store) => {
  const master = toMasterKey(Buffer.alloc(32, 1));
  const options = { load: async () => [master], declared: SESSION_LISTING };
  const isThere = await isSealed(store);
  const ring = await (isThere ? KeyRing.open(store, options) : KeyRing.create(store, options));
  return sealedStore(store, ring, SESSION_LISTING);
};

async function open(folder: string, durability: Durability, wrap: Wrap): Promise<OpenContender> {
  const isAlive = () => true;
  const limits = SEALED_LIMITS;
  const sqlite = await openSqliteStore({ folder, isAlive, durability, limits });
  const store = codedStore(await wrap(sqlite), zstdCodec());
  const service = createService({ store, now: Date.now, newId });
  /** Seeded data need not survive a power cut before it returns. */
  async function seeding(work: (seed: typeof store) => Promise<void>): Promise<void> {
    const seed = await wrap(await openSqliteStore({ folder, isAlive, synchronous: "OFF", limits }));
    await work(seed);
    await seed.close();
  }

  return {
    ...toCalls(service),
    seedSessions: (sessions) =>
      seeding(async (seed) => {
        let batch: Append[] = [];
        const keep = async () => {
          const appends = batch;
          batch = [];
          const streams = appends.flatMap(({ create }) => (create ? [create] : []));
          await seed.transact({ streams, decide: () => ({ appends }) });
        };
        for (const session of sessions) {
          batch.push(newSession(session));
          if (batch.length === seedBatch) await keep();
        }
        if (batch.length > 0) await keep();
      }),
    seedTurns: (session, texts) =>
      seeding(async (seed) => {
        const { appendTurn } = toCalls(createService({ store: seed, now: Date.now, newId }));
        let batch: Promise<unknown>[] = [];
        for (const output of texts) {
          batch.push(appendTurn(session, output));
          if (batch.length === seedBatch) await Promise.all(batch.splice(0));
        }
        await Promise.all(batch);
        batch = [];
      }),
    diskBytes: async () => {
      const db = new DatabaseSync(join(folder, "belay.db"));
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      db.close();
      return folderBytes(folder);
    },
    close: () => store.close(),
  };
}
