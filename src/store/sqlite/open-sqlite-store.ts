import { setImmediate as nextRound } from "node:timers/promises";
import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import type { Durability } from "../../contract/vocabulary.ts";
import { isWritable } from "../../files/is-writable.ts";
import type { ContentLimits } from "../append-rules.ts";
import { decideLease } from "../lease-rules.ts";
import { listBands } from "../list-bands.ts";
import { ListingColumns } from "../listing-columns.ts";
import { Anchor } from "../log/anchor.ts";
import { ChangeWatch } from "../log/change-watch.ts";
import type { Copyable } from "../log/copy-source.ts";
import { monotonic } from "../log/monotonic.ts";
import type { StoreCare } from "../store-care.ts";
import type { CheckHolder, ListQuery, StreamStore } from "../stream-store.ts";
import { sqliteBlobs } from "./blobs/sqlite-blobs.ts";
import { adoptMarks } from "./care/adopt-marks.ts";
import { backUp } from "./care/back-up.ts";
import { changeDurability } from "./care/change-durability.ts";
import { compactDatabase } from "./care/compact-database.ts";
import { describeStore } from "./care/describe-store.ts";
import { inspectStore } from "./care/inspect-store.ts";
import { reanchor } from "./care/reanchor.ts";
import { openSqliteSource } from "./care/sqlite-source.ts";
import { Connection } from "./database/connection.ts";
import { dataFolder, hasData, prepareFolder } from "./database/data-folder.ts";
import { FolderDurability } from "./database/folder-durability.ts";
import { migrate } from "./database/migrate.ts";
import { findByName } from "./database/named-places.ts";
import { cannotWrite, openDatabase, type Synchronous } from "./database/open-database.ts";
import { OpenFiles } from "./database/open-files.ts";
import { retryBusy } from "./database/retry-busy.ts";
import { toStorageError } from "./database/storage-error.ts";
import { NotesFile } from "./notes-file.ts";
import { ChangedPositions } from "./read/changed-positions.ts";
import { findInFeed } from "./read/find-in-feed.ts";
import { KnownStreams } from "./read/known-streams.ts";
import { listStreams } from "./read/list-streams.ts";
import { readFeed } from "./read/read-feed.ts";
import { isOneRow, readParts } from "./read/read-parts.ts";
import { tallyStreams } from "./read/tally-streams.ts";
import { GroupCommit } from "./write/group-commit.ts";
import { purgeStream } from "./write/purge-stream.ts";
import { runTransaction } from "./write/run-transaction.ts";
import type { WriteBatch } from "./write/write-batch.ts";

export type SqliteStore = StreamStore & StoreCare & Copyable;

interface SqliteStoreOptions {
  /**
   * The fields that streams are listed by; the session fields by default. They must be the same
   * each time a folder is opened.
   */
  readonly listing?: ListingDeclaration;
  /** Created if it does not exist, readable only by its owner. */
  readonly folder: string;
  /** Returns false only for a holder that is known to be dead. */
  readonly isAlive: CheckHolder;
  /** A monotonic clock in milliseconds, the same for all processes of this machine. */
  readonly now?: () => number;
  /** The time that a lease lasts without renewal, if its holder cannot be checked. */
  readonly leaseMs?: number | undefined;
  /** Set automatically if the folder has data and cannot be written to. */
  readonly readOnly?: boolean;
  /** Receives a sentence for each thing that was corrected while opening. */
  readonly onNotice?: (text: string) => void;
  /** How long to retry while other processes write. */
  readonly busyMs?: number;
  /** The choice for a folder without data. A folder with data and another choice is refused. */
  readonly durability?: Durability | undefined;
  /** Set if a layer over this store encrypts. */
  readonly limits?: ContentLimits | undefined;
  /** Overrides the folder's durability. OFF can lose the whole database in a power cut. */
  readonly synchronous?: Synchronous;
}

/** Opens the store in a folder, after creating or migrating it. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const {
    isAlive,
    listing = SESSION_LISTING,
    now = monotonic,
    onNotice = () => {},
    busyMs = 10_000,
  } = options;
  const clock = { isAlive, now, leaseMs: options.leaseMs };
  const columns = new ListingColumns(listing);
  const files = dataFolder(options.folder);
  const anchor = new Anchor(files.anchor);
  const durability = new FolderDurability(files.folder);
  const { db, opened, readOnly } = await open();
  const known = new KnownStreams(db);
  const changes = new ChangeWatch(new ChangedPositions(db));
  const commits = new GroupCommit(db, {
    busyMs,
    clock,
    columns,
    limits: options.limits,
    anchor,
    files: opened,
    durability,
    onCommit: (changed) => changes.notify(changed),
  });
  const notes = new NotesFile(files.notes);
  let isClosed = false;
  let reads = 0;

  return {
    transact: (transaction) => write((batch) => runTransaction(batch, transaction)),

    read: (reads, bytes = Number.POSITIVE_INFINITY) => {
      const readAll = () => readParts(db, known, reads, bytes, clock);
      return isOneRow(reads) ? read(readAll) : readTogether(readAll);
    },

    list: (query) => {
      const list = (part: ListQuery) => listStreams(db, known, columns.toQuery(part), clock);
      return readTogether(() => listBands(query, list));
    },
    tally: (kind, owner) => readTogether(() => tallyStreams(db, kind, owner)),
    findByName: (owner, name, page) => readTogether(() => findByName(db, owner, name, page)),
    readFeed: (query) => readTogether(() => readFeed(db, query)),
    findInFeed: (sought) => readTogether(() => findInFeed(db, sought)),
    watch: (onChange, stream) => changes.watch(onChange, stream),

    lease: (id, request) =>
      write((batch) => {
        const stream = batch.load({ id });
        const { answer, next } = decideLease(id, stream?.row, request, clock);
        if (stream && next) stream.replace({ ...stream.row, ...next });
        return answer;
      }),

    purge: (id, at, seq) => write((batch) => purgeStream(batch, id, at, seq)),

    blobs: sqliteBlobs({ db, read, write, find: (id) => known.find({ id })?.row, now }),

    inspect: () => {
      anchor.write([]);
      return inspectStore(db, files);
    },
    reanchor: ({ isRestart = false } = {}) =>
      read(() => (readOnly ? 0 : reanchor(db, anchor, files, isRestart))),
    notes,
    backup: (path, onProgress, beside) => guard(backUp(files, path, onProgress, beside)),
    compact: () => guard(compactDatabase(files)),
    chooseDurability: (choice) => write(() => changeDurability(durability, files, choice)),
    describe: () => read(() => describeStore(db, files)),
    openSource: () => guard(retryBusy(busyMs, () => openSqliteSource(files))),
    adopt: (marks) => write((batch) => adoptMarks(batch, marks)),

    close: async () => {
      isClosed = true;
      changes.close();
      await commits.settled();
      anchor.close();
      notes.close();
      db.close();
    },
  };

  async function open(): Promise<Opened> {
    const isThere = hasData(files);
    if (options.readOnly === true || (isThere && !isWritable(files.database))) return openAs(true);
    try {
      return await openAs(false);
    } catch (error) {
      if (!isThere || !isReadOnlyError(error)) throw error;
      return openAs(true);
    }
  }

  async function openAs(readOnly: boolean): Promise<Opened> {
    if (!readOnly) {
      const isNew = !hasData(files);
      await retryBusy(0, () => prepareFolder(files, onNotice));
      if (isNew && options.durability === "process") durability.write("process");
    }
    const opened = new OpenFiles(files);
    const db = await retryBusy(
      busyMs,
      () => new Connection(() => openDatabase(files, { readOnly, synchronous: synchronous() })),
    );
    if (!readOnly) await retryBusy(busyMs, () => migrate(db, () => anchor.begin()));
    opened.check();
    return { db, opened, readOnly };
  }

  function synchronous(): Synchronous {
    const choice = durability.read();
    if (options.durability !== undefined && options.durability !== choice) {
      throw new BelayError(refuseOther(files.folder, choice, options.durability));
    }
    return options.synchronous ?? SYNCHRONOUS[choice];
  }

  async function read<T>(attempt: () => T): Promise<T> {
    refuseClosed();
    // Reads are synchronous, so a loop of reads would block the event loop.
    reads += 1;
    if (reads % READS_AT_ONCE === 0) await nextRound();
    return retryBusy(busyMs, attempt);
  }

  function readTogether<T>(attempt: () => T): Promise<T> {
    return read(() => db.snapshot(attempt));
  }

  function write<T>(run: (batch: WriteBatch) => T): Promise<T> {
    return isClosed || readOnly ? refuseToWrite() : commits.write(run);
  }

  async function refuseToWrite(): Promise<never> {
    refuseClosed();
    if (!options.readOnly) throw new BelayError(cannotWrite(files));
    const message =
      "This store was opened for reading only. Open it for writing to change anything.";
    throw new BelayError(refuse("storage_read_only", message));
  }

  function refuseClosed(): void {
    if (!isClosed) return;
    throw new BelayError(refuse("storage_failed", "This store is closed. Open it again."));
  }
}

const READS_AT_ONCE = 16;

const SYNCHRONOUS = { power: "FULL", process: "NORMAL" } as const;

function refuseOther(folder: string, durability: Durability, asked: Durability): Refusal {
  const message = `The data folder ${folder} has durability "${durability}", not "${asked}". Open it without a durability, or change it first: belay durability ${asked}`;
  return refuse("invalid_input", message, { folder, durability, asked });
}

interface Opened {
  readonly db: Connection;
  readonly opened: OpenFiles;
  readonly readOnly: boolean;
}

function isReadOnlyError(error: unknown): boolean {
  return error instanceof BelayError && error.code === "storage_read_only";
}

async function guard<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toStorageError(error);
  }
}
