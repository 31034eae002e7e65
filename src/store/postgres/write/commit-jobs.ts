import type { ContentLimits } from "../../append-rules.ts";
import type { LeaseClock } from "../../lease-rules.ts";
import type { ListingColumns } from "../../listing-columns.ts";
import type { AnchorRecord } from "../../log/anchor.ts";
import { idemOf } from "../../log/hash-event.ts";
import type { Outcome, StreamRef, Transaction } from "../../stream-store.ts";
import { type Database, inTransaction, type SqlSession } from "../database/database.ts";
import { isConflict, isConnectionLost, isServerError } from "../database/postgres-error.ts";
import { decideJob } from "./decide-job.ts";
import { lockOfId, lockOfIdem, lockOfRef, toLocks } from "./locks.ts";
import type { WarmStreams } from "./warm-streams.ts";
import { WriteBatch } from "./write-batch.ts";
import type { WritePlan } from "./write-plan.ts";

export interface CommitContext {
  readonly database: Database;
  readonly warm: WarmStreams;
  readonly columns: ListingColumns;
  readonly limits: ContentLimits | undefined;
  /** The database's clock, as this node knows it. */
  readonly clock: () => LeaseClock;
  readonly nextSid: () => Promise<number>;
  /** Called after each commit, before anyone learns of it. */
  readonly onWritten: (records: readonly AnchorRecord[]) => void;
  /** Called after a connection was lost, because the server may be another one. */
  readonly reconnect: () => Promise<void>;
}

/** The result of a transaction. */
export type Settled =
  | { readonly outcome: Outcome }
  | { readonly error: unknown }
  /** It must be committed with another batch. */
  | null;

/**
 * Commits transactions together: decided on this node's cached streams, then checked and written by the database in one
 * call. If something has changed, everything is locked, loaded and decided again.
 */
export async function commitJobs(
  context: CommitContext,
  jobs: readonly Transaction[],
): Promise<Settled[]> {
  const { database, warm } = context;
  const known: Known = { ids: new Set(), locks: new Set() };
  let isLocked = false;
  return database.retry(async () => {
    for (;;) {
      const attempt = new Attempt(context, jobs, known, isLocked);
      try {
        const settled = await database.write((session) => attempt.run(session));
        if (settled) {
          context.onWritten(attempt.records);
          return settled;
        }
      } catch (error) {
        if (isConnectionLost(error)) {
          warm.forget();
          await context.reconnect();
          if (await attempt.wasCommitted()) {
            context.onWritten(attempt.records);
            return attempt.settled;
          }
        }
        isLocked ||= isConflict(error);
        throw error;
      }
      isLocked = true;
    }
  });
}

/** Facts that earlier attempts found. */
interface Known {
  /** Ids that decisions want to create and that may be taken. */
  readonly ids: Set<string>;
  readonly locks: Set<string>;
}

class Attempt {
  readonly #context: CommitContext;
  readonly #jobs: readonly Transaction[];
  readonly #known: Known;
  readonly #isLocked: boolean;
  #plan: WritePlan | undefined;
  #locks: readonly string[] = [];
  settled: Settled[] = [];
  /** The last event of each stream that it writes. */
  records: readonly AnchorRecord[] = [];

  constructor(
    context: CommitContext,
    jobs: readonly Transaction[],
    known: Known,
    isLocked: boolean,
  ) {
    this.#context = context;
    this.#jobs = jobs;
    this.#known = known;
    this.#isLocked = isLocked;
  }

  /** Undefined if something has changed since it was loaded: then nothing was written. */
  async run(session: SqlSession): Promise<Settled[] | undefined> {
    if (!this.#isLocked) return (await this.#decideAndWrite(session)) ? this.settled : undefined;
    const isWritten = await inTransaction(session, async () => {
      await session.query("SELECT belay.lock($1)", [toLocks(this.#wantedLocks())]);
      return this.#decideAndWrite(session);
    });
    return isWritten ? this.settled : undefined;
  }

  /** True if a commit whose answer was lost took place. It waits for a commit that is still running. */
  async wasCommitted(): Promise<boolean> {
    const first = this.#plan?.firstEvent;
    if (!first) return false;
    const { database } = this.#context;
    return database.transaction(async (session) => {
      await session.query("SELECT belay.lock($1)", [this.#locks]);
      const [row] = await session.query<{ hash: string }>(HASH, [first.sid, first.seq]);
      return row?.hash === first.hash;
    });
  }

  async #decideAndWrite(session: SqlSession): Promise<boolean> {
    const { clock, columns, nextSid, warm } = this.#context;
    // One time for all decisions of a batch, so that the database can check what they saw.
    const now = clock().now();
    const batch = new WriteBatch({
      session,
      clock: { ...clock(), now: () => now },
      columns,
      warm: this.#isLocked ? null : warm,
      nextSid,
    });
    const fresh = new Set(this.#jobs.map(({ expectsNew, streams }) => expectsNew && streams[0]));
    const refs = [...this.#refs(), ...[...this.#known.ids].map((id) => ({ id }))];
    await batch.load(refs, (ref) => fresh.has(ref));
    await batch.loadTombstones([...this.#known.ids]);
    await batch.loadAnswers(this.#jobs.flatMap(({ idempotency }) => idempotency ?? []));
    this.settled = [];
    for (const job of this.#jobs) {
      const isFull = batch.bytes > MOST_BYTES;
      this.settled.push(isFull ? null : await this.#decide(batch, session, job));
    }
    for (const lock of batch.locks) this.#known.locks.add(lock);
    this.#locks = toLocks(batch.locks);
    const plan = batch.finish();
    this.#plan = plan;
    this.records = batch.records;
    const [row] = await session.query<{ moved: Moved[] | null }>(
      WRITE,
      plan.toParameters(this.#locks),
    );
    const moved = row?.moved ?? [];
    for (const { id } of moved) if (id !== undefined) this.#known.ids.add(id);
    if (moved.length > 0) return false;
    batch.settle(warm);
    return true;
  }

  async #decide(batch: WriteBatch, session: SqlSession, job: Transaction): Promise<Settled> {
    try {
      const { columns, limits } = this.#context;
      const outcome = await decideJob(batch, session, job, columns.declared, limits);
      return outcome && { outcome };
    } catch (error) {
      if (isConnectionLost(error) || isServerError(error)) throw error;
      return { error };
    }
  }

  #wantedLocks(): Set<string> {
    const locks = new Set(this.#known.locks);
    for (const ref of this.#refs()) locks.add(lockOfRef(ref));
    for (const id of this.#known.ids) locks.add(lockOfId(id));
    for (const { idempotency } of this.#jobs) {
      if (idempotency) locks.add(lockOfIdem(idemOf(idempotency)));
    }
    return locks;
  }

  #refs(): StreamRef[] {
    return this.#jobs.flatMap(({ streams }) => streams);
  }
}

/** The limit for the bodies in one commit. */
const MOST_BYTES = 8 * 1024 * 1024;

interface Moved {
  readonly id?: string;
}

const WRITE = `SELECT belay.write_batch($1::bigint[], $2::json, $3::json, $4::json, $5::json, $6::json, $7::json, $8::json,
  $9::json, $10::json, $11::json, $12::json, $13::bytea) AS moved`;
const HASH = "SELECT encode(hash, 'hex') AS hash FROM belay.events WHERE sid = $1 AND seq = $2";
