import { setImmediate as nextRound, setTimeout as sleep } from "node:timers/promises";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import { isWritable } from "../../files/is-writable.ts";
import { makeFolder, makeSyncedFolder } from "../../files/make-folder.ts";
import type { ContentLimits } from "../append-rules.ts";
import { decideLease } from "../lease-rules.ts";
import { listBands } from "../list-bands.ts";
import { checkDeclaration } from "../list-rules.ts";
import { ChangeWatch } from "../log/change-watch.ts";
import type { Copyable } from "../log/copy-source.ts";
import { monotonic } from "../log/monotonic.ts";
import { readPosition } from "../page-rules.ts";
import { tallyStreams } from "../scan/tally-streams.ts";
import type { StoreCare } from "../store-care.ts";
import type { CheckHolder, StreamStore } from "../stream-store.ts";
import { copyFolder } from "./care/copy-folder.ts";
import { describeStore } from "./care/describe-store.ts";
import { openFilesSource } from "./care/files-source.ts";
import { inspectStore, removeTails, sweepFolders } from "./care/inspect-store.ts";
import { quarantine } from "./care/quarantine.ts";
import { CommitAnchor } from "./disk/commit-anchor.ts";
import { CommitLog } from "./disk/commit-log.ts";
import {
  alwaysSynced,
  closed,
  damaged,
  isDamage,
  readOnly,
  toFilesError,
} from "./disk/files-error.ts";
import { checkFormat, filesFolder, markFolder } from "./disk/files-folder.ts";
import { hasFiles } from "./disk/has-files.ts";
import { LeaseLog } from "./disk/lease-log.ts";
import { SystemLock } from "./disk/system-lock.ts";
import type { WriteLock } from "./disk/write-lock.ts";
import { filesBlobs } from "./files-blobs.ts";
import { ChangedCommits } from "./read/changed-commits.ts";
import { findInFeed } from "./read/find-in-feed.ts";
import { findMissing } from "./read/find-missing.ts";
import { OpenStreams } from "./read/open-streams.ts";
import { readFeed } from "./read/read-feed.ts";
import { listReadable, readParts } from "./read/readable-streams.ts";
import { StreamIndex } from "./read/stream-index.ts";
import { LockedWrites } from "./write/locked-writes.ts";
import { runTransaction } from "./write/run-transaction.ts";
import { WriteBatch } from "./write/write-batch.ts";

export type FilesStore = StreamStore & StoreCare & Copyable;

interface FilesStoreOptions {
  /** Created if it does not exist, readable only by its owner. */
  readonly folder: string;
  readonly listing?: ListingDeclaration;
  /** Returns false only for a holder that is known to be dead. */
  readonly isAlive: CheckHolder;
  /** The lock that every commit needs: one of the system, unless a test replaces it. */
  readonly lock?: (path: string) => WriteLock;
  /** A monotonic clock in milliseconds, the same for all processes of this machine. */
  readonly now?: () => number;
  readonly leaseMs?: number | undefined;
  /** How long to retry while other processes write. */
  readonly busyMs?: number;
  /** False only for tests: a power cut can then lose acknowledged changes. */
  readonly sync?: boolean;
  /** Set if a layer over this store encrypts. */
  readonly limits?: ContentLimits | undefined;
}

/** Opens the store in the files of a folder: one folder per stream, one line per event. */
export async function openFilesStore(options: FilesStoreOptions): Promise<FilesStore> {
  const { isAlive, leaseMs, limits, busyMs = 10_000, sync = true } = options;
  const syncing = { sync };
  const { listing: declared = SESSION_LISTING, now = monotonic } = options;
  checkDeclaration(declared);
  const clock = { isAlive, now, leaseMs };
  const files = filesFolder(options.folder);
  const commits = new CommitLog(files.commits, syncing);
  const anchor = new CommitAnchor(files.anchor);
  const lock = options.lock?.(files.lock) ?? new SystemLock(files.lock);
  const leases = new LeaseLog(files.leases, syncing);
  const index = new StreamIndex(files, commits);
  const open = new OpenStreams(files, leases, clock);
  const streams = { index, open };
  const changes = new ChangeWatch(new ChangedCommits(commits, index));
  const writes = new LockedWrites({ lock, busyMs, begin, end });
  const canWrite = prepare();
  let isClosed = false;
  let reads = 0;
  let isAccepting = false;
  catchUp();
  if (canWrite) await finishLast();

  return {
    transact: (transaction) =>
      write((batch) => runTransaction(batch, transaction, { files, declared, limits })),

    read: (asked, bytes = Number.POSITIVE_INFINITY) => read(() => readParts(streams, asked, bytes)),

    list: (query) => read(() => listBands(query, (band) => listReadable(streams, band, declared))),
    tally: (kind, owner) => read(() => tallyStreams(index.streams.values(), kind, owner, declared)),
    findByName: (owner, name, { limit, after = "" }) =>
      read(() =>
        index
          .findNamed(owner, name)
          .filter(({ position }) => position > readPosition(after))
          .slice(0, limit)
          .map(({ id, seq, position }) => ({ id, seq, cursor: `${position}` })),
      ),
    readFeed: (query) => read(() => readFeed(files, commits, index, query)),
    findInFeed: async (sought) => {
      const find = () => findInFeed({ files, commits, index }, sought);
      await read(() => undefined);
      return find().catch((error: unknown) => {
        if (!isDamage(error)) throw toFilesError(error);
        // Its stream may have been purged meanwhile.
        catchUp();
        return find();
      });
    },
    watch: (onChange, stream) => changes.watch(onChange, stream),

    lease: (id, request) =>
      write((batch) => {
        const stream = batch.index.streams.get(id);
        const state = stream && leases.get(id);
        const { answer, next } = decideLease(id, state, request, clock);
        if (stream && next) batch.setLease(id, next);
        return answer;
      }),

    purge: (id, at, seq) =>
      write((batch) => {
        const stream = batch.index.streams.get(id);
        if (stream && (seq ?? stream.seq) === stream.seq) batch.purge(stream, at);
      }),

    blobs: filesBlobs({
      files,
      look: () => {
        catchUp();
        return index;
      },
      write,
    }),

    inspect: () => inspectStore(files, { commits, anchor, index, leases }),
    reanchor,
    backup: (path, onProgress, beside) =>
      write(() => {
        index.save(true);
        return copyFolder(files, path, onProgress, beside);
      }),
    compact: () =>
      write(() => {
        index.save(true);
        sweepFolders(files, index, Date.now());
        leases.compact((id) => index.streams.has(id), true);
      }),
    chooseDurability: async (durability) => {
      if (durability !== "power") throw alwaysSynced();
    },
    describe: () => read(() => describeStore(files, index)),
    openSource: () =>
      read(() => {
        // A copy of older commits would look sound. The anchor is read first, because it may grow.
        const anchored = anchor.read();
        catchUp();
        const missing = findMissing(commits, index, leases, anchored);
        if (missing) throw damaged(null, missing.what);
        return openFilesSource(files, commits, leases);
      }),
    adopt: ({ tombstones, epochs }) =>
      write((batch) => {
        for (const tombstone of tombstones) batch.bury(tombstone);
        for (const [id, epoch] of epochs) {
          if (leases.get(id).epoch < epoch) batch.setLease(id, { epoch, holder: null });
        }
      }),

    close: async () => {
      isClosed = true;
      changes.close();
      await writes.settled();
      lock.close();
    },
  };

  /** False for a folder with data that cannot be written to. */
  function prepare(): boolean {
    try {
      if (hasFiles(files.folder)) {
        checkFormat(files);
        return isWritable(files.folder);
      }
      makeSyncedFolder(files.folder);
      makeFolder(files.streams);
      anchor.create();
      markFolder(files);
      return true;
    } catch (error) {
      throw toFilesError(error);
    }
  }

  function catchUp(): void {
    index.catchUp();
    leases.catchUp();
  }

  /** A killed writer or a power cut may have left the last commit without its newline, which readers wait for. */
  async function finishLast(): Promise<void> {
    for (let n = 0; n < FINISH_TRIES && commits.size() > index.end; n += 1) {
      if (lock.acquire()) {
        try {
          begin();
        } catch (error) {
          // A damaged store can be read.
          if (!isDamage(error)) throw error;
        } finally {
          lock.release();
        }
        return;
      }
      await sleep(FINISH_MS);
      catchUp();
    }
  }

  function begin(): WriteBatch {
    index.catchUp();
    while (commits.finish(index.tip)) index.catchUp();
    leases.catchUp();
    const anchored = anchor.read();
    const missing = findMissing(commits, index, leases, anchored);
    if (isAccepting) accept(anchored);
    else if (missing) throw damaged(null, missing.what);
    else if (anchored === "torn") settle();
    else commits.cut(index.end);
    const batch = new WriteBatch({ files, commits, anchor, leases, index, open, syncing });
    batch.finishPurge();
    return batch;
  }

  /** After a power cut it is not known what was acknowledged, so nothing is removed. */
  function settle(): void {
    quarantine(files, index, Date.now());
    anchor.restart({ ...index.tip, leases: leases.count });
  }

  /** A person decided to continue with what is there. */
  function accept(anchored: ReturnType<CommitAnchor["read"]>): void {
    if (typeof anchored === "object") leases.restart(Math.max(leases.count, anchored.leases));
    settle();
    index.lost = null;
    index.save(true);
    isAccepting = false;
  }

  /** Settles what a crash left, or accepts the commits that are there. Returns the number of streams. */
  async function reanchor({ isRestart = false } = {}): Promise<number> {
    if (!canWrite) return 0;
    isAccepting = isRestart || anchor.read() === "missing";
    return write(() => (isRestart ? index.streams.size : removeTails(files, index)));
  }

  function end(batch: WriteBatch): void {
    if (batch.isChanged) changes.notify(batch.changed);
    if (index.save()) sweepFolders(files, index, Date.now());
    leases.compact((id) => index.streams.has(id));
  }

  async function read<T>(attempt: () => T): Promise<T> {
    if (isClosed) throw closed();
    // Reads are synchronous, so a loop of reads would block the event loop.
    reads += 1;
    if (reads % READS_AT_ONCE === 0) await nextRound();
    try {
      return readNow(attempt);
    } catch (error) {
      throw toFilesError(error);
    }
  }

  /** Another process may purge a stream while this one reads its files. */
  function readNow<T>(attempt: () => T): T {
    for (let tries = 1; ; tries += 1) {
      const before = index.end;
      catchUp();
      try {
        return attempt();
      } catch (error) {
        if (!isDamage(error) || (tries > 1 && index.end === before)) throw error;
      }
    }
  }

  async function write<T>(run: (batch: WriteBatch) => T): Promise<T> {
    if (isClosed) throw closed();
    if (!canWrite) throw readOnly();
    return writes.write(run);
  }
}

const READS_AT_ONCE = 16;
const FINISH_MS = 5;
const FINISH_TRIES = 200;
