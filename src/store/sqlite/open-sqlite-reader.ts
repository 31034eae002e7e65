import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import { listBands } from "../list-bands.ts";
import { ListingColumns } from "../listing-columns.ts";
import { monotonic } from "../log/monotonic.ts";
import type { CheckHolder, StreamStore } from "../stream-store.ts";
import { Connection } from "./database/connection.ts";
import { dataFolder } from "./database/data-folder.ts";
import { openDatabase } from "./database/open-database.ts";
import { retryBusy } from "./database/retry-busy.ts";
import { KnownStreams } from "./read/known-streams.ts";
import { listStreams } from "./read/list-streams.ts";
import { isOneRow, readParts } from "./read/read-parts.ts";

interface SqliteReaderOptions {
  readonly folder: string;
  readonly isAlive: CheckHolder;
  readonly busyMs: number;
  readonly listing?: ListingDeclaration;
}

/**
 * Opens a store for a short-lived process that reads a stream or two. It loads only the code for
 * reading; for anything else it opens the whole store read-only.
 */
export async function openSqliteReader(options: SqliteReaderOptions): Promise<StreamStore> {
  const { folder, isAlive, busyMs, listing = SESSION_LISTING } = options;
  const clock = { isAlive, now: monotonic, leaseMs: undefined };
  const files = dataFolder(folder);
  const db = await retryBusy(
    busyMs,
    () =>
      new Connection(() =>
        openDatabase(files, { readOnly: true, tidy: true, synchronous: "FULL" }),
      ),
  );
  const known = new KnownStreams(db);
  let opened: Promise<StreamStore> | undefined;
  const whole = (): Promise<StreamStore> => {
    opened ??= import("./open-sqlite-store.ts").then(({ openSqliteStore }) =>
      openSqliteStore({ folder, isAlive, busyMs, listing, readOnly: true }),
    );
    return opened;
  };
  return {
    read: async (reads, bytes = Number.POSITIVE_INFINITY) => {
      const readAll = () => readParts(db, known, reads, bytes, clock);
      return retryBusy(busyMs, isOneRow(reads) ? readAll : () => db.snapshot(readAll));
    },
    list: async (query) => {
      const columns = new ListingColumns(listing);
      const list = () =>
        listBands(query, (part) => listStreams(db, known, columns.toQuery(part), clock));
      return retryBusy(busyMs, () => db.snapshot(list));
    },
    transact: async (transaction) => (await whole()).transact(transaction),
    lease: async (id, request) => (await whole()).lease(id, request),
    purge: async (id, at, seq) => (await whole()).purge(id, at, seq),
    tally: async (kind, owner) => (await whole()).tally(kind, owner),
    findByName: async (owner, name, page) => (await whole()).findByName(owner, name, page),
    readFeed: async (query) => (await whole()).readFeed(query),
    findInFeed: async (sought) => (await whole()).findInFeed(sought),
    watch: (onChange, stream) => {
      const watching = whole().then((store) => store.watch(onChange, stream));
      return () => void watching.then((stop) => stop());
    },
    close: async () => {
      await (await opened)?.close();
      // Last, because only a connection that may write removes SQLite's own files.
      db.close();
    },
  };
}
