import { setImmediate as nextRound } from "node:timers/promises";
import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import type { Durability } from "../../contract/vocabulary.ts";
import { decideLease } from "../lease-rules.ts";
import { listBands } from "../list-bands.ts";
import { ListingColumns } from "../listing-columns.ts";
import type { StoreCare } from "../store-care.ts";
import type { CheckHolder, ListQuery, StreamStore } from "../stream-store.ts";
import { sqliteBlobs } from "./blobs/sqlite-blobs.ts";
import { backUp } from "./care/back-up.ts";
import { changeDurability } from "./care/change-durability.ts";
import { compactDatabase } from "./care/compact-database.ts";
import { describeStore } from "./care/describe-store.ts";
import { inspectStore } from "./care/inspect-store.ts";
import { reanchor } from "./care/reanchor.ts";
import { Connection } from "./database/connection.ts";
import { dataFolder, hasData, prepareFolder } from "./database/data-folder.ts";
import { FolderDurability } from "./database/folder-durability.ts";
import { migrate } from "./database/migrate.ts";
import { monotonic } from "./database/monotonic.ts";
import { findByName } from "./database/named-places.ts";
import {
  cannotWrite,
  isWritable,
  openDatabase,
  type Synchronous,
} from "./database/open-database.ts";
import { OpenFiles } from "./database/open-files.ts";
import { retryBusy } from "./database/retry-busy.ts";
import { toStorageError } from "./database/storage-error.ts";
import { NotesFile } from "./notes-file.ts";
import { ChangeWatch } from "./read/change-watch.ts";
import { KnownStreams } from "./read/known-streams.ts";
import { listStreams } from "./read/list-streams.ts";
import { readFeed } from "./read/read-feed.ts";
import { isOneRow, readParts } from "./read/read-parts.ts";
import { tallyStreams } from "./read/tally-streams.ts";
import { Anchor } from "./write/anchor.ts";
import { GroupCommit } from "./write/group-commit.ts";
import { purgeStream } from "./write/purge-stream.ts";
import { runTransaction } from "./write/run-transaction.ts";
import type { WriteBatch } from "./write/write-batch.ts";

export type SqliteStore = StreamStore & StoreCare;

interface SqliteStoreOptions {
  /** The fields that streams are listed by: those of sessions, unless given. The same each time a folder is opened. */
  readonly listing?: ListingDeclaration;
  /** Made if it is not there, for its owner's eyes only. */
  readonly folder: string;
  /** False only for a holder that is known to be gone. */
  readonly isAlive: CheckHolder;
  /** Milliseconds that only ever rise, the same for all processes of this machine. */
  readonly now?: () => number;
  /** For how long a lease is held without a sign of its holder, where nobody can look at it. */
  readonly leaseMs?: number | undefined;
  /** Set by itself where the folder has data and cannot be written to. */
  readonly readOnly?: boolean;
  /** Told in a sentence what was put right on opening. */
  readonly onNotice?: (text: string) => void;
  /** How long to try while other processes write. */
  readonly busyMs?: number;
  /** Chosen for a folder without data. A folder that has data is refused where it has chosen another. */
  readonly durability?: Durability | undefined;
  /** Instead of what the folder's durability means. OFF can cost the whole database at a power cut. */
  readonly synchronous?: Synchronous;
}

/** Opens the store in a folder, making it or bringing it up to date first. */
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
  const changes = new ChangeWatch(db);
  const commits = new GroupCommit(db, {
    busyMs,
    clock,
    columns,
    anchor,
    files: opened,
    durability,
    onCommit: () => changes.notify(),
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
    watch: (onChange) => changes.watch(onChange),

    lease: (id, request) =>
      write((batch) => {
        const stream = batch.load({ id });
        const { answer, next } = decideLease(id, stream?.row, request, clock);
        if (next) stream?.change(next);
        return answer;
      }),

    purge: (id, at) => write((batch) => purgeStream(batch, id, at)),

    blobs: sqliteBlobs({ db, read, write, find: (id) => known.find({ id })?.row, now }),

    inspect: () => {
      anchor.write([]);
      return inspectStore(db, files);
    },
    reanchor: () => read(() => (readOnly ? 0 : reanchor(db, anchor, files))),
    notes,
    backup: (path, onProgress, beside) => guard(backUp(files, path, onProgress, beside)),
    compact: () => guard(compactDatabase(files)),
    chooseDurability: (choice) => write(() => changeDurability(durability, files, choice)),
    describe: () => read(() => describeStore(db, files)),

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
    // A read waits for nothing, so a loop of reads would keep the event loop to itself.
    reads += 1;
    if (reads % READS_AT_ONCE === 0) await nextRound();
    return retryBusy(busyMs, attempt);
  }

  function readTogether<T>(attempt: () => T): Promise<T> {
    return read(() => db.snapshot(attempt));
  }

  async function write<T>(run: (batch: WriteBatch) => T): Promise<T> {
    refuseClosed();
    if (!readOnly) return commits.write(run);
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
  const message = `The data folder ${folder} has durability "${durability}", not "${asked}". Run: belay durability ${asked}, or do not ask for one.`;
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
