import type { Anchor } from "../../log/anchor.ts";
import type { ChangedStreams } from "../../stream-watchers.ts";
import type { Connection } from "../database/connection.ts";
import type { FolderDurability } from "../database/folder-durability.ts";
import type { OpenFiles } from "../database/open-files.ts";
import { pause } from "../database/retry-busy.ts";
import { isBusy, isInputOutputError, toStorageError } from "../database/storage-error.ts";
import { WarmStreams } from "./warm-streams.ts";
import { type BatchOptions, WriteBatch } from "./write-batch.ts";

interface GroupCommitOptions extends BatchOptions {
  readonly busyMs: number;
  readonly anchor: Anchor;
  readonly files: OpenFiles;
  readonly durability: FolderDurability;
  /** Called after each commit that wrote something. */
  readonly onCommit: (changed: ChangedStreams) => void;
}

/**
 * All writes that wait at the same moment share one commit and one fsync. Nothing awaits between
 * BEGIN and COMMIT. If a write throws, its batch is rolled back and its writes run again one by
 * one.
 */
export class GroupCommit {
  readonly #db: Connection;
  readonly #options: GroupCommitOptions;
  readonly #warm = new WarmStreams();
  readonly #queue: Job[] = [];
  #isDraining = false;
  /** True after a failed fsync, when the state on disk is unknown. */
  #isSuspect = false;

  constructor(db: Connection, options: GroupCommitOptions) {
    this.#db = db;
    this.#options = options;
  }

  /**
   * Resolves once the writes of `run` are durable and anchored. `run` may be called again after a
   * rollback.
   */
  write<T>(run: (batch: WriteBatch) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push(new Write(run, resolve, reject));
      if (this.#isDraining) return;
      this.#isDraining = true;
      this.#commitSoon();
    });
  }

  async settled(): Promise<void> {
    while (this.#isDraining) await pause();
  }

  /** All writes of this round of the event loop join the batch. */
  #commitSoon(): void {
    setImmediate(() => {
      this.#commitNext();
    });
  }

  /** `isChecked` once per group, not per attempt: later changes are noticed after the commit. */
  #commitNext(isChecked = false): void {
    try {
      if (!isChecked) this.#options.files.check();
      this.#begin();
    } catch (error) {
      if (!isBusy(error)) this.#rejectAll(error);
      this.#expire(error);
      if (this.#queue.length > 0) return void pause().then(() => this.#commitNext(true));
      this.#isDraining = false;
      return;
    }
    this.#commitBatch();
    this.#isDraining = this.#queue.length > 0;
    if (this.#isDraining) this.#commitSoon();
  }

  #begin(): void {
    const { files } = this.#options;
    if (this.#isSuspect || this.#db.isAlone) {
      this.#db.reopen();
      files.reopened();
      this.#warm.forget();
      // Moves the pages of the failed fsync into the database itself, under a new fsync.
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      this.#isSuspect = false;
    }
    this.#db.run("BEGIN IMMEDIATE");
    // Read while no other process can write, so that a stricter choice applies from the next commit
    // on.
    if (!this.#options.durability.hasBecomeStricter()) return;
    this.#db.rollback();
    this.#db.exec("PRAGMA synchronous = FULL");
    this.#db.run("BEGIN IMMEDIATE");
  }

  /** Runs between BEGIN and COMMIT, so nothing here or below may await. */
  #commitBatch(): void {
    const { anchor, files, onCommit } = this.#options;
    let count = 0;
    let batch: WriteBatch;
    try {
      this.#warm.refresh(this.#db);
      batch = new WriteBatch(this.#db, this.#warm, this.#options);
      for (let job = this.#next(count, batch); job; job = this.#next(count, batch)) {
        count += 1;
        job.run(batch);
      }
      batch.flush();
    } catch (error) {
      return void this.#abandon(count, error);
    }
    const jobs = this.#queue.splice(0, count);
    try {
      this.#db.run("COMMIT");
    } catch (error) {
      this.#isSuspect = isInputOutputError(error);
      this.#rollback();
      for (const job of jobs) job.reject(error);
      return;
    }
    batch.settle();
    anchor.write(batch.records);
    try {
      files.check();
      for (const job of jobs) job.resolve();
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
    if (batch.isChanged) onCommit(batch.changed);
  }

  /** The job after `count` others of the batch, which stay in the queue until it is committed. */
  #next(count: number, batch: WriteBatch): Job | undefined {
    const job = this.#queue[count];
    const isFull = count >= BATCH_JOBS || batch.bytes >= BATCH_BYTES;
    if (count > 0 && (isFull || job?.isAlone || this.#queue[0]?.isAlone)) return undefined;
    return job;
  }

  #abandon(count: number, error: unknown): void {
    this.#rollback();
    if (count === 0) this.#rejectAll(error);
    else if (count === 1) this.#queue.shift()?.reject(error);
    else for (const job of this.#queue.slice(0, count)) job.isAlone = true;
  }

  #rollback(): void {
    try {
      this.#db.rollback();
    } catch {
      this.#isSuspect = true;
    }
  }

  #rejectAll(error: unknown): void {
    for (const job of this.#queue.splice(0)) job.reject(error);
  }

  #expire(error: unknown): void {
    const oldest = performance.now() - this.#options.busyMs;
    while (this.#queue[0] && this.#queue[0].since <= oldest) this.#queue.shift()?.reject(error);
  }
}

/** Limits of one commit, so that a write waits for a few commits at most. */
const BATCH_JOBS = 512;
const BATCH_BYTES = 8 * 1024 * 1024;

/** A write that waits for its commit. */
interface Job {
  readonly since: number;
  isAlone: boolean;
  run(batch: WriteBatch): void;
  resolve(): void;
  reject(error: unknown): void;
}

class Write<T> implements Job {
  readonly since = performance.now();
  isAlone = false;
  readonly #run: (batch: WriteBatch) => T;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  #result: { readonly value: T } | undefined;

  constructor(
    run: (batch: WriteBatch) => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ) {
    this.#run = run;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  run(batch: WriteBatch): void {
    this.#result = { value: this.#run(batch) };
  }

  resolve(): void {
    if (this.#result) this.#resolve(this.#result.value);
  }

  reject(error: unknown): void {
    this.#reject(toStorageError(error));
  }
}
