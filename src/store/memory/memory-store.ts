import { BelayError, refuse } from "../../contract/errors.ts";
import { LEASE_MS } from "../lease-time.ts";
import { listBands } from "../list-bands.ts";
import type {
  CheckHolder,
  EventRange,
  LeaseAnswer,
  LeaseRequest,
  Outcome,
  StoredEvent,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamStore,
  Transaction,
} from "../stream-store.ts";
import { commit } from "./commit.ts";
import { frozen } from "./frozen.ts";
import { listStreams } from "./list-streams.ts";
import {
  createBacking,
  describeStream,
  findStream,
  type MemoryBacking,
  type MemoryStream,
  rememberedUnder,
} from "./memory-backing.ts";
import { memoryBlobs } from "./memory-blobs.ts";
import { purge } from "./purge.ts";
import { readFeed } from "./read-feed.ts";
import { readRows } from "./read-rows.ts";
import { refuseContent } from "./refuse-content.ts";
import { rejectUndeclared } from "./reject-undeclared.ts";
import { sizeOf, takeWithin } from "./take-within.ts";
import { tallyStreams } from "./tally-streams.ts";

export interface MemoryOptions {
  /** Handles on one backing are to each other what processes on one database are. */
  readonly shared?: MemoryBacking;
  /** False only for a holder that is known to be gone. */
  readonly isAlive?: CheckHolder;
  readonly now?: () => number;
}

/**
 * The reference that every other store must behave like. Nothing waits between the first and the last line of a
 * method, so each is a transaction as it stands; everything kept is frozen, so nobody can alter history.
 */
export function openMemoryStore(options: MemoryOptions = {}): StreamStore {
  const { shared: backing = createBacking(), isAlive = () => true } = options;
  const { now = () => performance.now() } = options;
  const describe = (stream: MemoryStream) => describeStream(stream, { isAlive, now });
  const stops = new Set<() => void>();

  return {
    transact: async (transaction) => transact(backing, transaction, describe),

    read: async (reads, bytes = Infinity) => {
      const parts: (StreamPart | undefined)[] = [];
      let room = bytes;
      for (const read of reads) {
        if (room < 0) break;
        const stream = findStream(backing, read.ref);
        const part = stream && readPart(stream, read, describe);
        room -= sizeOf([...(part?.rows ?? []), ...(part?.events ?? [])].flat());
        parts.push(part);
      }
      return parts;
    },

    list: async (query) =>
      listBands(query, (part) => listStreams(backing.streams.values(), part, describe)),

    tally: async (kind, owner) => tallyStreams(backing.streams.values(), kind, owner),

    findByName: async (owner, name, { limit, after = "" }) =>
      backing.names
        .filter((place) => place.owner === owner && place.name === name)
        .filter((place) => place.position > positionOf(after))
        .slice(0, limit)
        .map(({ id, seq, position }) => ({ id, seq, cursor: `${position}` })),

    readFeed: async ({ after, limit, bytes = Infinity }) =>
      after === null
        ? { events: [], cursor: `${backing.feed.length}` }
        : readFeed(backing, positionOf(after), limit, bytes),

    watch: (onChange) => {
      // Wrapped, so that watching twice with one function is two watches.
      const watcher = () => onChange();
      const stop = () => backing.watchers.delete(watcher);
      backing.watchers.add(watcher);
      stops.add(stop);
      return stop;
    },

    lease: async (id, request) => lease(backing, id, request, describe, now),

    purge: async (id) => purge(backing, id),

    blobs: memoryBlobs(backing),

    close: async () => {
      for (const stop of stops) stop();
    },
  };
}

function transact(
  backing: MemoryBacking,
  transaction: Transaction,
  describe: (stream: MemoryStream) => StoredStream,
): Outcome {
  const { streams, reads = [], idempotency } = transaction;
  const first = idempotency && backing.remembered.get(rememberedUnder(idempotency));
  if (first) {
    if (first.digest === idempotency.digest) {
      return { kind: "replayed", id: first.id, from: first.from, to: first.to };
    }
    const message = "this idempotency key was used for another request";
    return {
      kind: "refused",
      refusal: refuse("idempotency_conflict", message, { key: idempotency.key }),
    };
  }

  const found = streams.map((ref) => findStream(backing, ref));
  const decision = transaction.decide({
    streams: found.map((stream) => stream && describe(stream)),
    rows: reads.map(({ stream, query }) => readRows(found[stream]?.rows ?? [], query)),
  });
  if ("refused" in decision) return { kind: "refused", refusal: decision.refused };

  const refusal = refuseContent(decision.appends, idempotency);
  if (refusal) return { kind: "refused", refusal };
  rejectUndeclared(backing, streams, decision.appends);
  const kept = commit(backing, decision.appends, idempotency);
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
    heads: heads.map((seq) => stream.heads.findLast((stored) => stored.seq <= seq)),
  };
}

function lease(
  backing: MemoryBacking,
  id: string,
  request: LeaseRequest,
  describe: (stream: MemoryStream) => StoredStream,
  now: () => number,
): LeaseAnswer {
  const stream = backing.streams.get(id);
  const held = (stream && describe(stream).lease) ?? null;
  if ("acquire" in request) {
    if (!stream) {
      throw new BelayError(refuse("session_not_found", "there is no such stream to lease", { id }));
    }
    if (held?.live && !request.force) return { granted: false, held };
    stream.epoch += 1;
    stream.lease = frozen({ epoch: stream.epoch, holder: { ...request.acquire, renewed: now() } });
    return { granted: true, epoch: stream.epoch, renew_within: LEASE_MS };
  }
  const epoch = "renew" in request ? request.renew : request.release;
  if (stream?.lease?.epoch !== epoch) return { granted: false, held };
  if ("release" in request) {
    stream.lease = null;
    return { granted: false, held: null };
  }
  stream.lease = frozen({ epoch, holder: { ...stream.lease.holder, renewed: now() } });
  return { granted: true, epoch, renew_within: LEASE_MS };
}

/** The empty cursor is the beginning. */
function positionOf(cursor: string): number {
  if (/^\d*$/.test(cursor)) return Number(cursor);
  throw new BelayError(refuse("invalid_input", "this cursor is none of ours", { cursor }));
}

/** Event `seq` stands at `seq - 1`. */
function turnPage(events: readonly StoredEvent[], range: EventRange): StoredEvent[] {
  const { bytes = Infinity } = range;
  if ("after" in range) {
    return takeWithin(events.slice(range.after, range.after + range.limit), bytes);
  }
  const before = events.slice(0, Math.max(0, range.before - 1));
  const page = before.slice(Math.max(0, before.length - range.limit));
  return takeWithin(page.reverse(), bytes).reverse();
}
