import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { busy, toFilesError } from "../disk/files-error.ts";
import type { WriteLock } from "../disk/write-lock.ts";
import type { WriteBatch } from "./write-batch.ts";

interface LockedWritesOptions {
  readonly lock: WriteLock;
  readonly busyMs: number;
  /** Reads what other processes have written, and repairs what killed ones left. Called with the lock. */
  readonly begin: () => WriteBatch;
  /** Called with the lock after the commit. */
  readonly end: (batch: WriteBatch) => void;
}

interface Job {
  readonly since: number;
  run(batch: WriteBatch): void;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * All writes that wait at the same moment share one lock and one commit. Nothing awaits while the lock is held, so two
 * stores of one process never wait for each other.
 */
export class LockedWrites {
  readonly #options: LockedWritesOptions;
  readonly #queue: Job[] = [];
  #draining: Promise<void> | undefined;

  constructor(options: LockedWritesOptions) {
    this.#options = options;
  }

  /** Resolves once the writes of `run` are on disk. */
  write<T>(run: (batch: WriteBatch) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: { value: T } | undefined;
      this.#queue.push({
        since: performance.now(),
        run: (batch) => {
          result = { value: run(batch) };
        },
        resolve: () => result && resolve(result.value),
        reject: (error) => reject(toFilesError(error)),
      });
      this.#draining ??= this.#drain();
    });
  }

  async settled(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // All writes of this round of the event loop join the batch.
      await nextRound();
      if (!(await this.#acquire())) continue;
      try {
        this.#commit();
      } finally {
        this.#options.lock.release();
      }
    }
    this.#draining = undefined;
  }

  /** False if no write is left to wait. */
  async #acquire(): Promise<boolean> {
    const { lock, busyMs } = this.#options;
    while (this.#queue.length > 0) {
      try {
        if (lock.acquire()) return true;
        this.#expire(performance.now() - busyMs, busy());
      } catch (error) {
        for (const job of this.#queue.splice(0)) job.reject(error);
        return false;
      }
      await sleep(0.5 + 2 * Math.random());
    }
    return false;
  }

  #commit(): void {
    const { begin, end } = this.#options;
    const jobs: Job[] = [];
    try {
      const batch = begin();
      while (jobs.length < BATCH_JOBS && batch.bytes < BATCH_BYTES) {
        const job = this.#queue.shift();
        if (!job) break;
        // A write that throws has staged nothing, so the others continue.
        if (runJob(job, batch)) jobs.push(job);
      }
      batch.flush();
      for (const job of jobs) job.resolve();
      end(batch);
    } catch (error) {
      const waiting = jobs.length > 0 ? jobs : this.#queue.splice(0);
      for (const job of waiting) job.reject(error);
    }
  }

  #expire(oldest: number, error: unknown): void {
    while (this.#queue[0] && this.#queue[0].since <= oldest) this.#queue.shift()?.reject(error);
  }
}

function runJob(job: Job, batch: WriteBatch): boolean {
  try {
    job.run(batch);
    return true;
  } catch (error) {
    job.reject(error);
    return false;
  }
}

/** Limits of one commit, so that a write waits for a few commits at most. */
const BATCH_JOBS = 256;
const BATCH_BYTES = 8 * 1024 * 1024;
