import { setImmediate as nextRound } from "node:timers/promises";
import { idemOf } from "../../log/hash-event.ts";
import type { Outcome, Transaction } from "../../stream-store.ts";
import type { ChangedStreams } from "../../stream-watchers.ts";
import { toStorageError } from "../database/postgres-error.ts";
import { type CommitContext, commitJobs, type Settled } from "./commit-jobs.ts";
import { lockOfIdem, lockOfRef, MOST_LOCKS } from "./locks.ts";

interface Job {
  readonly transaction: Transaction;
  /** The names that it touches. Jobs that share a name run in order. */
  readonly names: ReadonlySet<string>;
  isAlone: boolean;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** All transactions that wait at the same moment share a commit. Two lanes work at once, on different streams. */
export class WriteQueue {
  readonly #context: CommitContext;
  readonly #onCommit: (changed: ChangedStreams) => void;
  #queue: Job[] = [];
  readonly #busy = new Set<string>();
  readonly #lanes = new Set<Promise<void>>();
  #isPlanned = false;

  constructor(context: CommitContext, onCommit: (changed: ChangedStreams) => void) {
    this.#context = context;
    this.#onCommit = onCommit;
  }

  transact(transaction: Transaction): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const names = namesOf(transaction);
      this.#queue.push({ transaction, names, isAlone: false, resolve, reject });
      this.#plan();
    });
  }

  async settled(): Promise<void> {
    while (this.#lanes.size > 0 || this.#queue.length > 0) {
      await Promise.all([...this.#lanes, nextRound()]);
    }
  }

  /** All transactions of this round of the event loop join. */
  #plan(): void {
    if (this.#isPlanned || this.#lanes.size >= LANES) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#start();
    });
  }

  #start(): void {
    const free = LANES - this.#lanes.size;
    // If both lanes are free, they share the waiting jobs.
    const share = this.#queue.length < WORTH_SHARING ? Infinity : this.#queue.length / free;
    for (let lane = 0; lane < free; lane += 1) {
      const jobs = this.#select(Math.ceil(share));
      if (jobs.length === 0) return;
      const run = this.#run(jobs).finally(() => {
        this.#lanes.delete(run);
        if (this.#queue.length > 0) this.#plan();
      });
      this.#lanes.add(run);
    }
  }

  /** The next jobs that touch nothing another lane works on. */
  #select(most: number): Job[] {
    const selected: Job[] = [];
    const rest: Job[] = [];
    const skipped = new Set<string>();
    const names = new Set<string>();
    for (const job of this.#queue) {
      const isFull = selected.length >= Math.min(most, MOST_JOBS) || names.size > MOST_LOCKS / 2;
      const isFree = [...job.names].every((name) => !this.#busy.has(name) && !skipped.has(name));
      const isApart = selected.length > 0 && (job.isAlone || selected[0]?.isAlone);
      if (isFull || !isFree || isApart) {
        rest.push(job);
        for (const name of job.names) skipped.add(name);
        continue;
      }
      selected.push(job);
      for (const name of job.names) names.add(name);
    }
    this.#queue = rest;
    return selected;
  }

  async #run(jobs: readonly Job[]): Promise<void> {
    const names = jobs.flatMap((job) => [...job.names]);
    for (const name of names) this.#busy.add(name);
    try {
      const settled = await commitJobs(
        this.#context,
        jobs.map(({ transaction }) => transaction),
      );
      const changed = new Map(settled.flatMap(changesOf));
      if (changed.size > 0) this.#onCommit(changed);
      this.#queue.unshift(...jobs.filter((_, index) => !settled[index]));
      for (const [index, job] of jobs.entries()) settle(job, settled[index]);
    } catch (error) {
      this.#abandon(jobs, error);
    } finally {
      for (const name of names) this.#busy.delete(name);
    }
  }

  /** One of them may have failed the batch, so they run again one by one. */
  #abandon(jobs: readonly Job[], error: unknown): void {
    const [only] = jobs;
    if (jobs.length === 1) {
      only?.reject(toStorageError(error));
      return;
    }
    for (const job of jobs) job.isAlone = true;
    this.#queue.unshift(...jobs);
  }
}

const LANES = 2;
const MOST_JOBS = 256;
const WORTH_SHARING = 16;

function namesOf({ streams, idempotency }: Transaction): Set<string> {
  const names = new Set(streams.map(lockOfRef));
  if (idempotency) names.add(lockOfIdem(idemOf(idempotency)));
  return names;
}

function changesOf(settled: Settled): (readonly [string, number])[] {
  if (!settled || !("outcome" in settled) || settled.outcome.kind !== "committed") return [];
  return settled.outcome.streams.map(({ id, seq }) => [id, seq]);
}

function settle(job: Job, settled: Settled = null): void {
  if (!settled) return;
  if ("outcome" in settled) job.resolve(settled.outcome);
  else job.reject(toStorageError(settled.error));
}
