import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createService } from "../src/compose-service.ts";
import type { SessionFact } from "../src/contract/events.ts";
import { SESSION_LISTING } from "../src/contract/stream.ts";
import type { Durability } from "../src/contract/vocabulary.ts";
import { applySessionFacts } from "../src/core/session/run-commands.ts";
import { newId } from "../src/service/new-id.ts";
import type { Caller } from "../src/service/service-context.ts";
import { SEALED_LIMITS } from "../src/store/append-rules.ts";
import { isSealed } from "../src/store/is-sealed.ts";
import { KeyRing } from "../src/store/sealed/key-ring.ts";
import { toMasterKey } from "../src/store/sealed/master-key.ts";
import { sealedStore } from "../src/store/sealed/sealed-store.ts";
import { openSqliteStore, type SqliteStore } from "../src/store/sqlite/open-sqlite-store.ts";
import type { Append } from "../src/store/stream-store.ts";
import {
  type Contender,
  type ListedSession,
  type OpenContender,
  resumedTurns,
  type SessionStatus,
} from "./contender.ts";
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

const caller: Caller = { owner: "local", actor: "bench", interface: "library", trace_id: newId() };
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
  const store = await wrap(await openSqliteStore({ folder, isAlive, durability, limits }));
  const service = createService({ store, now: Date.now, newId });
  const record = (id: string, output: string) =>
    service.call("record_turn", { id, input: "", output }, caller);

  /** Seeded data need not survive a power cut before it returns. */
  async function seeding(work: (seed: typeof store) => Promise<void>): Promise<void> {
    const seed = await wrap(await openSqliteStore({ folder, isAlive, synchronous: "OFF", limits }));
    await work(seed);
    await seed.close();
  }

  return {
    createSession: async (session_id, agent_name) => {
      await service.call("create", { session_id, agent_name }, caller);
    },
    appendTurn: async (session, text) => {
      await record(session, text);
    },
    appendKeyed: async (id, output, idempotency_key) => {
      await service.call("record_turn", { id, input: "", output, idempotency_key }, caller);
    },
    appendConcurrently: async (callers, turnsEach, text) => {
      await Promise.all(
        callers.map(async (session) => {
          for (let turn = 0; turn < turnsEach; turn++) await record(session, text);
        }),
      );
    },
    resume: async (id) => {
      const { turn_count } = await service.call("get", { id }, caller);
      const { turns } = await service.call("turns", { id, limit: resumedTurns }, caller);
      return { turnCount: turn_count, turns: turns.map((turn) => turn.output) };
    },
    list: async ({ status, agent, limit }) => {
      const { sessions } = await service.call("list", { status: [status], agent, limit }, caller);
      return sessions.map(
        (session): ListedSession => ({
          session: session.session_id,
          agent: session.agent_name,
          status: session.status,
        }),
      );
    },
    fork: async (id, session_id, atTurn) => {
      // The first two events create the session and make it active.
      const at = atTurn === undefined ? {} : { at: atTurn + 2 };
      await service.call("fork", { id, session_id, ...at }, caller);
    },
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
        const seeded = createService({ store: seed, now: Date.now, newId });
        let batch: Promise<unknown>[] = [];
        for (const output of texts) {
          batch.push(seeded.call("record_turn", { id: session, input: "", output }, caller));
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

function newSession({ session, agent, status }: ListedSession): Append {
  const entity_id = newId();
  const { owner, actor, trace_id } = caller;
  const created: SessionFact = {
    type: "session.created",
    data: {
      session_id: session,
      entity_id,
      owner,
      agent_name: agent,
      interface: "library",
      purpose: null,
      title: null,
      project: null,
      task_id: entity_id,
      metadata: {},
      supports_resume: false,
      observed: false,
    },
  };
  const origin = { at: Date.now(), actor, interface: "library", trace_id };
  const facts = [created, ...BECOMING[status]];
  const applied = applySessionFacts({ head: null, seq: 0 }, facts, origin);
  if (!applied) throw new Error("a seeded session came to nothing");
  return { id: entity_id, create: { kind: "session", owner, key: session }, ...applied };
}

const ended = { summary: null, duration_ms: 0 };
const BECOMING = {
  created: [],
  active: [{ type: "session.activated", data: {} }],
  suspended: [{ type: "session.suspended", data: { reason: "shutdown", checkpoint_id: null } }],
  completed: [{ type: "session.completed", data: ended }],
  failed: [{ type: "session.failed", data: { ...ended, error: null } }],
  cancelled: [{ type: "session.cancelled", data: ended }],
  archived: [{ type: "session.archived", data: {} }],
} as const satisfies Record<SessionStatus, readonly SessionFact[]>;
