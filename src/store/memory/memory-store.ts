import { type ListingDeclaration, SESSION_LISTING } from "../../contract/stream.ts";
import { type ContentLimits, checkAppends, refuseReusedKey, runDecision } from "../append-rules.ts";
import { toContent } from "../content.ts";
import { decideLease } from "../lease-rules.ts";
import { listBands } from "../list-bands.ts";
import { checkDeclaration } from "../list-rules.ts";
import { readPosition } from "../page-rules.ts";
import { limitBytes, sizeOf } from "../scan/limit-bytes.ts";
import { listStreams } from "../scan/list-streams.ts";
import { readRows } from "../scan/read-rows.ts";
import { showContent } from "../scan/show-content.ts";
import { tallyStreams } from "../scan/tally-streams.ts";
import type {
  CheckHolder,
  EventRange,
  Outcome,
  StoredEvent,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamStore,
  Transaction,
} from "../stream-store.ts";
import { commit } from "./commit.ts";
import { findInFeed } from "./find-in-feed.ts";
import {
  createBacking,
  describeStream,
  findStream,
  frozen,
  type MemoryBacking,
  type MemoryEvent,
  type MemoryStream,
  rememberedUnder,
} from "./memory-backing.ts";
import { memoryBlobs } from "./memory-blobs.ts";
import { purge } from "./purge.ts";
import { readFeed } from "./read-feed.ts";

interface MemoryOptions {
  /** The fields that streams are listed by; the session fields by default. */
  readonly listing?: ListingDeclaration;
  /** Stores with the same backing behave like processes on one database. */
  readonly shared?: MemoryBacking;
  /** Returns false only for a holder that is known to be dead. */
  readonly isAlive?: CheckHolder;
  readonly now?: () => number;
  readonly leaseMs?: number | undefined;
  /** Set if a layer over this store encrypts. */
  readonly limits?: ContentLimits | undefined;
}

/**
 * The reference implementation for every other store. No method awaits anything, so each one is a
 * transaction; everything stored is frozen, so history cannot be changed.
 */
export function openMemoryStore(options: MemoryOptions = {}): StreamStore {
  const { shared: backing = createBacking(), isAlive = () => true } = options;
  const { now = () => performance.now(), listing = SESSION_LISTING, leaseMs, limits } = options;
  const clock = { isAlive, now, leaseMs };
  checkDeclaration(listing);
  const describe = (stream: MemoryStream) => describeStream(stream, clock);
  const stops = new Set<() => void>();

  return {
    transact: async (transaction) => transact(backing, transaction, { listing, limits }, describe),

    read: async (reads, bytes = Infinity) => {
      const parts: (StreamPart | undefined)[] = [];
      let room = bytes;
      for (const read of reads) {
        if (room < 0) break;
        const stream = findStream(backing, read.ref);
        const part = stream && readPart(stream, read, describe);
        room -= sizeOf([...(part?.rows ?? []), ...(part?.events ?? [])].flat().map(keptAgain));
        parts.push(part);
      }
      return parts;
    },

    list: async (query) =>
      listBands(query, (part) => {
        const { streams, next } = listStreams(backing.streams.values(), part, listing);
        return { streams: streams.map(describe), damaged: [], next };
      }),

    tally: async (kind, owner) => tallyStreams(backing.streams.values(), kind, owner, listing),

    findByName: async (owner, name, { limit, after = "" }) =>
      backing.names
        .filter((place) => place.owner === owner && place.name === name)
        .filter((place) => place.position > readPosition(after))
        .slice(0, limit)
        .map(({ id, seq, position }) => ({ id, seq, cursor: `${position}` })),

    readFeed: async ({ after, limit, bytes = Infinity }) =>
      after === null
        ? { events: [], cursor: `${backing.feed.length}` }
        : readFeed(backing, readPosition(after), limit, bytes),

    findInFeed: async (sought) => findInFeed(backing, sought),

    watch: (onChange, stream) => {
      const stop = backing.watchers.add(onChange, stream);
      stops.add(stop);
      return stop;
    },

    lease: async (id, request) => {
      const stream = backing.streams.get(id);
      const { answer, next } = decideLease(id, stream?.lease, request, clock);
      if (stream && next) stream.lease = frozen(next);
      return answer;
    },

    purge: async (id, _at, seq) => purge(backing, id, seq),

    blobs: memoryBlobs(backing),

    close: async () => {
      for (const stop of stops) stop();
    },
  };
}

function transact(
  backing: MemoryBacking,
  transaction: Transaction,
  { listing, limits }: Pick<MemoryOptions, "limits"> & { readonly listing: ListingDeclaration },
  describe: (stream: MemoryStream) => StoredStream,
): Outcome {
  const { streams, reads = [], idempotency } = transaction;
  const first = idempotency && backing.remembered.get(rememberedUnder(idempotency));
  if (first) {
    if (first.digest === idempotency.digest) {
      return { kind: "replayed", id: first.id, from: first.from, to: first.to };
    }
    return { kind: "refused", refusal: refuseReusedKey(idempotency) };
  }

  const found = streams.map((ref) => findStream(backing, ref));
  const before = {
    streams: found.map((stream) => stream && describe(stream)),
    rows: reads.map(({ stream, query }) => readRows(found[stream]?.rows ?? [], query)),
  };
  const { verdict, ...ground } = runDecision(transaction, before, (ref) => {
    const stream = findStream(backing, ref);
    return stream && describe(stream);
  });
  if ("refused" in verdict) return { kind: "refused", refusal: verdict.refused };

  const result = checkAppends(verdict.appends, {
    ...ground,
    idempotency,
    hasStream: (id) => backing.streams.has(id),
    wasPurged: (id) => backing.purged.has(id),
    declared: listing,
    limits,
  });
  if ("refused" in result) return { kind: "refused", refusal: result.refused };
  const kept = commit(backing, result.checked, idempotency);
  return { kind: "committed", streams: kept.map(describe) };
}

function readPart(
  stream: MemoryStream,
  { rows = [], events = [], heads = [] }: StreamRead,
  describe: (stream: MemoryStream) => StoredStream,
): StreamPart {
  return {
    stream: describe(stream),
    rows: rows.map((query) => readRows(stream.rows, query)),
    events: events.map((range) => turnPage(stream.events, range)),
    heads: heads.map((seq) => {
      const found = stream.heads.findLast((stored) => stored.seq <= seq);
      return found && { ...found, head: showContent(found.head) };
    }),
  };
}

function keptAgain({ data }: { readonly data: unknown }) {
  return { data: toContent(data) };
}

/** Event `seq` is at index `seq - 1`. */
function turnPage(events: readonly MemoryEvent[], range: EventRange): StoredEvent[] {
  const { bytes = Infinity } = range;
  const show = (event: MemoryEvent) => ({ ...event, data: showContent(event.data) });
  if ("after" in range) {
    return limitBytes(events.slice(range.after, range.after + range.limit), bytes).map(show);
  }
  const before = events.slice(0, Math.max(0, range.before - 1));
  const page = before.slice(Math.max(0, before.length - range.limit));
  return limitBytes(page.reverse(), bytes).reverse().map(show);
}
