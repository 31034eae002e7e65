import { BelayError, refuse } from "../../contract/errors.ts";
import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import type { ContentLimits } from "../append-rules.ts";
import type { LeaseClock } from "../lease-rules.ts";
import { listBandsAtOnce } from "../list-bands.ts";
import { ListingColumns } from "../listing-columns.ts";
import type { Copyable } from "../log/copy-source.ts";
import type { StoreCare } from "../store-care.ts";
import type { CheckHolder, StreamStore } from "../stream-store.ts";
import { StreamWatchers } from "../stream-watchers.ts";
import { postgresBlobs } from "./blobs/postgres-blobs.ts";
import { adoptMarks } from "./care/adopt-marks.ts";
import { describeStore } from "./care/describe-store.ts";
import { inspectAnchors } from "./care/inspect-anchors.ts";
import { inspectChains } from "./care/inspect-chains.ts";
import { inspectIndex } from "./care/inspect-index.ts";
import { inspectStore } from "./care/inspect-store.ts";
import { openPostgresSource } from "./care/postgres-source.ts";
import { Database } from "./database/database.ts";
import { migrate } from "./database/migrate.ts";
import { damaged } from "./database/postgres-error.ts";
import { isStorable } from "./database/storable-text.ts";
import { PostgresNodes } from "./nodes/postgres-nodes.ts";
import { ChangeWatch } from "./read/change-watch.ts";
import { findByName } from "./read/find-by-name.ts";
import { findInFeed } from "./read/find-in-feed.ts";
import { listStreams, tallyStreams } from "./read/list-streams.ts";
import { readFeed } from "./read/read-feed.ts";
import { readParts } from "./read/read-parts.ts";
import { changeLease } from "./write/change-lease.ts";
import { lockOfId, PURGE_LOCK, toLocks } from "./write/locks.ts";
import { NodeAnchor } from "./write/node-anchor.ts";
import { WarmStreams } from "./write/warm-streams.ts";
import { WriteQueue } from "./write/write-queue.ts";

type PostgresStore = StreamStore &
  Pick<
    StoreCare,
    "inspect" | "inspectChains" | "inspectIndex" | "inspectAnchors" | "reanchor" | "describe"
  > &
  Copyable;

interface PostgresStoreOptions {
  /** The address of a database in which Belay has a role of its own: postgres://user:password@host/database. */
  readonly url: string;
  /** The schema with its tables, `belay` by default. */
  readonly schema?: string;
  /** Refuses a database without tables instead of creating them. */
  readonly mustExist?: boolean;
  /** The fields that streams are listed by; the session fields by default. */
  readonly listing?: ListingDeclaration;
  /** Returns false only for a holder that is known to be dead; null if this process cannot know. */
  readonly isAlive: CheckHolder;
  /** How long a lease lasts without renewal, by the database's clock. */
  readonly leaseMs?: number | undefined;
  /** The data folder, where the anchor is written; none without it. */
  readonly folder?: string;
  /** Set if a layer over this store encrypts. */
  readonly limits?: ContentLimits | undefined;
  /** How long to retry while the server is unreachable. */
  readonly busyMs?: number;
  /** The most connections for reading; three more are for writing, and one listens. */
  readonly readers?: number;
}

/** Opens the store in a PostgreSQL database, after creating or migrating its tables. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const {
    url,
    schema,
    isAlive,
    leaseMs,
    listing = SESSION_LISTING,
    busyMs = 10_000,
    readers = 8,
    mustExist = false,
  } = options;
  const columns = new ListingColumns(listing);
  const database = new Database({ url, schema, busyMs, readers });
  const warm = new WarmStreams();
  const opened = await open();
  let { offset } = opened;
  let isClosed = false;

  const clock = (now = performance.now() + offset): LeaseClock => ({
    isAlive,
    leaseMs,
    now: () => now,
  });
  const sids: number[] = [];
  const changes = new ChangeWatch(database);
  const nodes = new PostgresNodes({
    clock: {
      now: () => performance.now() + offset,
      set: (now) => {
        offset = now - performance.now();
      },
    },
    database,
    isAlive,
    leaseMs,
    onLost: () => {
      warm.forget();
      changes.callAll();
    },
  });
  const anchor =
    options.folder === undefined
      ? null
      : new NodeAnchor(options.folder, opened.identity, () => nodes.member?.node ?? null);
  const queue = new WriteQueue(
    {
      database,
      warm,
      columns,
      limits: options.limits,
      clock: () => clock(),
      nextSid,
      onWritten: (records) => anchor?.write(records),
      reconnect: async () => {
        await migrate(database);
        ({ offset } = await identify());
      },
    },
    (changed) => changes.committed(changed),
  );

  return {
    transact: guarded((transaction) => queue.transact(transaction)),
    read: guarded((reads, bytes = Infinity) =>
      database.read((session) => readParts(session, reads, bytes, clock)),
    ),
    list: guarded((query) =>
      listBandsAtOnce(query, (parts) => {
        const queries = parts.map((part) => columns.toQuery(part));
        return listStreams(database, queries, clock);
      }),
    ),
    tally: guarded((kind, owner) => tallyStreams(database, kind, owner)),
    findByName: guarded((owner, name, page) => findByName(database, owner, name, page)),
    readFeed: guarded((query) => readFeed(database, query)),
    findInFeed: guarded((sought) => findInFeed(database, sought)),
    watch: (onChange, stream) => changes.watch(onChange, stream),
    lease: guarded(async (id, request) => {
      const member = () => nodes.member;
      const onTakeover = () => nodes.countTakeover();
      const answer = await changeLease({ database, clock, member, onTakeover }, id, request);
      warm.drop(id);
      return answer;
    }),
    purge: guarded(async (id, at, seq) => {
      if (!isStorable(id)) return;
      const purged = await database.transaction(async (session) => {
        await session.query("SELECT belay.lock($1)", [toLocks([PURGE_LOCK, lockOfId(id)])]);
        return session.query(PURGE, [id, at, seq ?? null]);
      });
      if (purged.length === 0) return;
      warm.drop(id);
      changes.committed([[id, StreamWatchers.GONE]]);
    }),
    blobs: postgresBlobs(database),
    nodes,
    inspect: () => inspectStore(database),
    inspectChains: () => inspectChains(database, clock),
    inspectIndex: (expected) => inspectIndex(database, columns, expected),
    inspectAnchors: (others) =>
      inspectAnchors(database, { file: anchor?.file ?? "", database: opened.identity }, others),
    reanchor: guarded(async ({ isRestart = false } = {}) => {
      if (!isRestart || !anchor) return 0;
      anchor.restart();
      const [row] = await database.query<{ count: number }>(COUNT);
      return row?.count ?? 0;
    }),
    describe: guarded(() => describeStore(database)),
    openSource: guarded(() => openPostgresSource(url, schema, listing)),
    adopt: guarded(async (marks) => {
      await database.transaction((session) => adoptMarks(session, marks));
      warm.forget();
    }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await nodes.close();
      await queue.settled();
      anchor?.close();
      await changes.close();
      await database.close();
    },
  };

  async function open(): Promise<Identified> {
    try {
      await migrate(database, mustExist);
      return await identify();
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  async function identify(): Promise<Identified> {
    const [row] = await database.query<{ now: number; identity: string }>(IDENTIFY);
    if (!row) throw damaged(null, "it has no clock");
    return { offset: row.now - performance.now(), identity: row.identity };
  }

  async function nextSid(): Promise<number> {
    if (sids.length === 0) {
      const [row] = await database.query<{ first: number }>(
        "SELECT nextval('belay.sids') AS first",
      );
      for (let n = BLOCK - 1; n >= 0; n -= 1) sids.push((row?.first ?? 0) + n);
    }
    const sid = sids.pop();
    if (sid === undefined) throw damaged(null, "it has no numbers for streams");
    return sid;
  }

  function guarded<Args extends unknown[], T>(
    work: (...args: Args) => Promise<T>,
  ): (...args: Args) => Promise<T> {
    return async (...args) => {
      if (!isClosed) return work(...args);
      throw new BelayError(refuse("storage_failed", "This store is closed. Open it again."));
    };
  }
}

interface Identified {
  /** The difference between the database's clock and the monotonic clock of this process. */
  readonly offset: number;
  /** The same after a failover, or a restore into another cluster. */
  readonly identity: string;
}

const IDENTIFY = `SELECT belay.now_ms() AS now, left(encode(sha256(m.secret), 'hex'), 16) AS identity
  FROM belay.meta m`;

const COUNT = "SELECT count(*)::integer AS count FROM belay.streams";

/** The increment of the sequence: a node reserves this many numbers at once. */
const BLOCK = 64;

/** Under the lock of the stream, so its seq is the last one. */
const PURGE =
  "SELECT belay.purge(id, $2) FROM belay.streams WHERE id = $1 AND seq = coalesce($3, seq)";
