import { setImmediate as nextRound } from "node:timers/promises";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import { errorCode } from "../../files/file-refusal.ts";
import { isWritable } from "../../files/is-writable.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { syncFolder } from "../../files/sync-folder.ts";
import type { ContentLimits } from "../append-rules.ts";
import { bytesIn, toContent } from "../content.ts";
import { decideLease } from "../lease-rules.ts";
import { listBands } from "../list-bands.ts";
import { checkDeclaration } from "../list-rules.ts";
import { ChangeWatch } from "../log/change-watch.ts";
import type { Copyable } from "../log/copy-source.ts";
import { monotonic } from "../log/monotonic.ts";
import { readPosition } from "../page-rules.ts";
import { listStreams } from "../scan/list-streams.ts";
import { readRows } from "../scan/read-rows.ts";
import { showContent } from "../scan/show-content.ts";
import { tallyStreams } from "../scan/tally-streams.ts";
import type { StoreCare } from "../store-care.ts";
import type {
  CheckHolder,
  ListPage,
  ListQuery,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamStore,
} from "../stream-store.ts";
import { copyFolder } from "./care/copy-folder.ts";
import { describeStore } from "./care/describe-store.ts";
import { openFilesSource } from "./care/files-source.ts";
import { inspectStore, removeTails, sweepFolders } from "./care/inspect-store.ts";
import { CommitLog } from "./disk/commit-log.ts";
import { alwaysSynced, closed, isDamage, readOnly, toFilesError } from "./disk/files-error.ts";
import { checkFormat, filesFolder, markFolder } from "./disk/files-folder.ts";
import { hasFiles } from "./disk/has-files.ts";
import { LeaseLog } from "./disk/lease-log.ts";
import { filesBlobs } from "./files-blobs.ts";
import { ChangedCommits } from "./read/changed-commits.ts";
import { findInFeed } from "./read/find-in-feed.ts";
import { OpenStreams } from "./read/open-streams.ts";
import { readFeed } from "./read/read-feed.ts";
import { type IndexedStream, StreamIndex } from "./read/stream-index.ts";
import { LockedWrites, type WriterParty } from "./write/locked-writes.ts";
import { runTransaction } from "./write/run-transaction.ts";
import { WriteBatch } from "./write/write-batch.ts";

export type FilesStore = StreamStore & StoreCare & Copyable;

interface FilesStoreOptions {
  /** Created if it does not exist, readable only by its owner. */
  readonly folder: string;
  readonly listing?: ListingDeclaration;
  /** Returns false only for a holder that is known to be dead. */
  readonly isAlive: CheckHolder;
  /** This process as the holder of the lock that every commit needs. */
  readonly party: () => WriterParty;
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
  const { isAlive, party, leaseMs, limits, busyMs = 10_000, sync = true } = options;
  const syncing = { sync };
  const { listing: declared = SESSION_LISTING, now = monotonic } = options;
  checkDeclaration(declared);
  const clock = { isAlive, now, leaseMs };
  const files = filesFolder(options.folder);
  const commits = new CommitLog(files.commits, syncing);
  const leases = new LeaseLog(files.leases, syncing);
  const index = new StreamIndex(files, commits);
  const open = new OpenStreams(files, leases, clock);
  const changes = new ChangeWatch(new ChangedCommits(commits, index));
  const writes = new LockedWrites({ path: files.lock, party, busyMs, begin, end });
  const canWrite = prepare();
  let isClosed = false;
  let reads = 0;
  catchUp();

  return {
    transact: (transaction) =>
      write((batch) => runTransaction(batch, transaction, { files, declared, limits })),

    read: (asked, bytes = Number.POSITIVE_INFINITY) => read(() => readParts(asked, bytes)),

    list: (query) => read(() => listBands(query, list)),
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
      await read(() => undefined);
      return findInFeed({ files, commits, index }, sought).catch((error: unknown) => {
        // Its stream was purged meanwhile.
        if (errorCode(error) === "ENOENT") return null;
        throw toFilesError(error);
      });
    },
    watch: (onChange, stream) => changes.watch(onChange, stream),

    lease: (id, request) =>
      write((batch) => {
        const stream = batch.index.streams.get(id);
        const state = stream && leases.get(id);
        const { answer, next } = decideLease(id, state, request, clock);
        if (stream && next) leases.set(id, next);
        return answer;
      }),

    purge: (id, at, seq) =>
      write((batch) => {
        const stream = batch.index.streams.get(id);
        if (stream && (seq ?? stream.seq) === stream.seq) batch.purge(stream, at);
      }),

    blobs: filesBlobs({
      files,
      find: (id) => {
        catchUp();
        return index.streams.get(id);
      },
      write,
    }),

    inspect: () => {
      catchUp();
      return inspectStore(files, index);
    },
    reanchor: () => (canWrite ? write(() => removeTails(files, index)) : Promise.resolve(0)),
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
    openSource: () => read(() => openFilesSource(files, commits, leases)),
    adopt: ({ tombstones, epochs }) =>
      write((batch) => {
        for (const tombstone of tombstones) batch.bury(tombstone);
        for (const [id, epoch] of epochs) {
          if (leases.get(id).epoch < epoch) leases.set(id, { epoch, holder: null });
        }
      }),

    close: async () => {
      isClosed = true;
      changes.close();
      await writes.settled();
    },
  };

  /** False for a folder with data that cannot be written to. */
  function prepare(): boolean {
    try {
      if (hasFiles(files.folder)) {
        checkFormat(files);
        return isWritable(files.folder);
      }
      makeFolder(files.folder);
      makeFolder(files.streams);
      markFolder(files);
      syncFolder(files.folder);
      return true;
    } catch (error) {
      throw toFilesError(error);
    }
  }

  function catchUp(): void {
    index.catchUp();
    leases.catchUp();
  }

  function begin(): WriteBatch {
    index.catchUp();
    commits.repair(index.end);
    catchUp();
    const batch = new WriteBatch({ files, commits, index, open, syncing });
    batch.finishPurge();
    return batch;
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
        if (errorCode(error) !== "ENOENT" || (tries > 1 && index.end === before)) throw error;
      }
    }
  }

  async function write<T>(run: (batch: WriteBatch) => T): Promise<T> {
    if (isClosed) throw closed();
    if (!canWrite) throw readOnly();
    return writes.write(run);
  }

  function readParts(asked: readonly StreamRead[], bytes: number): (StreamPart | undefined)[] {
    const parts: (StreamPart | undefined)[] = [];
    let room = bytes;
    for (const each of asked) {
      if (room < 0) break;
      const stream = index.find(each.ref);
      const part = stream && readPart(stream, each);
      for (const { data } of [...(part?.rows ?? []), ...(part?.events ?? [])].flat()) {
        room -= bytesIn(toContent(data));
      }
      parts.push(part);
    }
    return parts;
  }

  function readPart(
    stream: IndexedStream,
    { rows = [], events = [], heads = [] }: StreamRead,
  ): StreamPart {
    const shown = open.describe(stream);
    return {
      stream: shown,
      rows: rows.map((query) => readRows(open.load(stream).patches, query)),
      events: events.map((range) => open.load(stream).readEvents(range)),
      heads: heads.map((seq) => {
        if (seq >= stream.seq) return { seq: stream.seq, head: shown.head, writer: stream.id };
        const found = open.load(stream).heads.findLast((stored) => stored.seq <= seq);
        return found && { ...found, head: showContent(found.head) };
      }),
    };
  }

  function list(query: ListQuery): ListPage {
    const found = listStreams(index.streams.values(), query, declared);
    const streams: StoredStream[] = [];
    const lost = [...index.streams.values()].filter(
      ({ listing, kind, owner }) =>
        listing === null && kind === query.kind && (query.owner ?? owner) === owner,
    );
    const unreadable: IndexedStream[] = query.after === undefined ? lost : [];
    for (const stream of found.streams) {
      try {
        streams.push(open.describe(stream));
      } catch (error) {
        if (!isDamage(error)) throw error;
        unreadable.push(stream);
      }
    }
    const damaged = unreadable.map(({ id, key }) => ({ id, key }));
    return { streams, damaged, next: found.next };
  }
}

const READS_AT_ONCE = 16;
