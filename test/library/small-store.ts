/**
 * A store in one file, written from the published package alone: everything is one array of commits, and each query
 * folds it. Slow, but easy to understand.
 */

import { createHash } from "node:crypto";
import {
  type Append,
  bytesIn,
  type CheckedAppend,
  type Content,
  checkAppends,
  checkDeclaration,
  checkFilter,
  countWithin,
  decideLease,
  describeLease,
  type EventRange,
  type FeedEvent,
  invalidCursor,
  type LeaseClock,
  type LeaseState,
  type ListingDeclaration,
  type ListPage,
  type ListQuery,
  listBands,
  matchesFilter,
  type RowQuery,
  readPosition,
  refuseReusedKey,
  runDecision,
  type StoredPatch,
  type StoredStream,
  type StreamPart,
  type StreamRead,
  type StreamRef,
  type StreamStore,
  StreamWatchers,
  type Transaction,
} from "belay-sessions/store";

/** The shared data of handles on one place. */
export class SmallDisk {
  readonly streams = new Map<string, Stream>();
  readonly purged = new Set<string>();
  readonly keys = new Map<string, { digest: string; id: string; from: number; to: number }>();
  readonly names: { owner: string; name: string; id: string; seq: number; at: number }[] = [];
  readonly watchers = new StreamWatchers();
  feed: Line[] = [];
  end = 0;
}

interface Stream {
  readonly id: string;
  readonly place: NonNullable<Append["create"]>;
  /** Including inherited ones. */
  readonly lines: Line[];
  readonly patches: (CheckedAppend["patches"][number] & { readonly writer: string })[];
  readonly heads: { readonly seq: number; readonly head: Content; readonly writer: string }[];
  listing: Append["listing"];
  lease: LeaseState;
}

interface Line {
  readonly at: number;
  readonly writer: string;
  readonly hash: string;
  readonly body: Content;
  readonly event: Omit<Append["events"][number], "data" | "row">;
}

export function openSmallStore(
  disk: SmallDisk,
  clock: LeaseClock,
  declared: ListingDeclaration,
): StreamStore {
  checkDeclaration(declared);
  const stops = new Set<() => void>();
  const show = (stream: Stream): StoredStream => {
    const { kind, owner, key } = stream.place;
    const head = value(stream.heads.at(-1)?.head ?? "null");
    const lease = describeLease(stream.lease, clock);
    return { id: stream.id, kind, owner, key, seq: stream.lines.length, head, lease };
  };
  return {
    transact: async (transaction) => transact(disk, transaction, declared, show),
    async read(reads, bytes = Number.POSITIVE_INFINITY) {
      const parts: (StreamPart | undefined)[] = [];
      let room = bytes;
      for (const read of reads) {
        if (room < 0) break;
        const stream = find(disk, read.ref);
        const part = stream && readPart(stream, read, show);
        for (const { data } of [...(part?.rows ?? []), ...(part?.events ?? [])].flat()) {
          room -= data instanceof Uint8Array ? data.length : bytesIn(JSON.stringify(data));
        }
        parts.push(part);
      }
      return parts;
    },
    list: async (query) => listBands(query, (plain) => list(disk, plain, declared, show)),
    async tally(kind, owner) {
      const found = [...disk.streams.values()].filter(
        ({ place }) => place.kind === kind && place.owner === owner,
      );
      const { by, sum } = declared.tally;
      const byValue = Map.groupBy(found, ({ listing }) => String(listing[by]));
      return [...byValue].map(([value, streams]) => ({
        value,
        streams: streams.length,
        sum: streams.reduce((all, { listing }) => all + Number(listing[sum]), 0),
      }));
    },
    findByName: async (owner, name, { limit, after = "" }) =>
      disk.names
        .filter((one) => one.owner === owner && one.name === name && one.at > readPosition(after))
        .slice(0, limit)
        .map(({ id, seq, at }) => ({ id, seq, cursor: `${at}` })),
    async readFeed({ after, limit, bytes = Number.POSITIVE_INFINITY }) {
      if (after === null) return { events: [], cursor: `${disk.end}` };
      const from = readPosition(after);
      const rest = disk.feed.filter(({ at }) => at > from).slice(0, limit);
      const page = rest.slice(
        0,
        countWithin(
          rest.map(({ body }) => bytesIn(body)),
          bytes,
        ),
      );
      const events = page.flatMap((line): FeedEvent[] => {
        const stream = disk.streams.get(line.writer);
        if (!stream) return [];
        const { kind, owner, key } = stream.place;
        return [{ ...showLine(line), stream: stream.id, kind, owner, key }];
      });
      return { events, cursor: `${page.at(-1)?.at ?? Math.max(from, 0)}` };
    },
    async findInFeed(sought) {
      const known = typeof sought === "string" && /^\d{1,15}$/.test(sought);
      const at = known && Number(sought) <= disk.end ? Number(sought) : 0;
      const line = disk.feed.findLast(({ at: end, writer, event }) => {
        if (sought === null || typeof sought === "string") return sought === null || end <= at;
        return writer === sought.stream && event.seq === sought.seq;
      });
      const stream = line && disk.streams.get(line.writer);
      if (line && stream) {
        const { seq, type, at: time } = line.event;
        const { owner } = stream.place;
        const found = { stream: stream.id, seq, type, at: time, hash: line.hash, owner };
        return { ...found, cursor: `${line.at}` };
      }
      if (sought === null) return undefined;
      const wasPurged = typeof sought === "string" ? at > 0 : disk.purged.has(sought.stream);
      return wasPurged ? null : undefined;
    },
    watch(onChange, stream) {
      const stop = disk.watchers.add(onChange, stream);
      stops.add(stop);
      return stop;
    },
    async lease(id, request) {
      const stream = disk.streams.get(id);
      const { answer, next } = decideLease(id, stream?.lease, request, clock);
      if (stream && next) stream.lease = next;
      return answer;
    },
    async purge(id, _at, seq) {
      const stream = disk.streams.get(id);
      if (!stream || (seq ?? stream.lines.length) !== stream.lines.length) return;
      disk.streams.delete(id);
      disk.purged.add(id);
      disk.feed = disk.feed.filter(({ writer }) => writer !== id);
      const kept = disk.names.filter((one) => one.id !== id);
      disk.names.splice(0, disk.names.length, ...kept);
      for (const [key, answer] of disk.keys) if (answer.id === id) disk.keys.delete(key);
      disk.watchers.call([[id, StreamWatchers.GONE]]);
    },
    async close() {
      for (const stop of stops) stop();
    },
  };
}

type Show = (stream: Stream) => StoredStream;

function transact(
  disk: SmallDisk,
  transaction: Transaction,
  declared: ListingDeclaration,
  show: Show,
) {
  const { streams, reads = [], idempotency } = transaction;
  const key = idempotency && JSON.stringify([idempotency.scope, idempotency.key]);
  const first = key === undefined ? undefined : disk.keys.get(key);
  if (idempotency && first) {
    const { digest, ...place } = first;
    if (digest === idempotency.digest) return { kind: "replayed", ...place } as const;
    return { kind: "refused", refusal: refuseReusedKey(idempotency) } as const;
  }
  const found = streams.map((ref) => find(disk, ref));
  const loaded = found.map((stream) => stream && show(stream));
  const rows = reads.map(({ stream, query }) => readPatches(found[stream], query));
  const { verdict, ...ground } = runDecision(transaction, { streams: loaded, rows }, (ref) => {
    const stream = find(disk, ref);
    return stream && show(stream);
  });
  if ("refused" in verdict) return { kind: "refused", refusal: verdict.refused } as const;
  const result = checkAppends(verdict.appends, {
    ...ground,
    idempotency,
    hasStream: (id) => disk.streams.has(id),
    wasPurged: (id) => disk.purged.has(id),
    declared,
  });
  if ("refused" in result) return { kind: "refused", refusal: result.refused } as const;
  const kept = result.checked.map((checked) => keep(disk, checked));
  const [one] = result.checked;
  if (idempotency && key !== undefined && one) {
    const { id, events } = one.append;
    const [from = 0, to = 0] = [events[0]?.seq, events.at(-1)?.seq];
    disk.keys.set(key, { digest: idempotency.digest, id, from, to });
  }
  disk.watchers.call(kept.map(({ id, lines }) => [id, lines.length]));
  return { kind: "committed", streams: kept.map(show) } as const;
}

function keep(disk: SmallDisk, { append, bodies, patches, head }: CheckedAppend): Stream {
  const { id, create, events, names, listing } = append;
  const stream = disk.streams.get(id) ?? begin(disk, id, create, listing);
  disk.streams.set(id, stream);
  for (const [index, { data, row, ...event }] of events.entries()) {
    const body = bodies[index] ?? "null";
    const before = stream.lines.at(-1)?.hash ?? "";
    const hash = createHash("sha256")
      .update(JSON.stringify([before, event]))
      .update(body);
    disk.end += 1;
    const line = { at: disk.end, writer: id, hash: hash.digest("hex"), body, event };
    stream.lines.push(line);
    disk.feed.push(line);
  }
  const seq = stream.lines.length;
  stream.heads.push({ seq, head, writer: id });
  stream.patches.push(...patches.map((patch) => ({ ...patch, writer: id })));
  stream.listing = structuredClone(listing);
  const { owner } = stream.place;
  for (const name of names) {
    if (disk.names.some((one) => one.id === id && one.name === name)) continue;
    disk.names.push({ owner, name, id, seq, at: disk.end });
  }
  return stream;
}

function begin(
  disk: SmallDisk,
  id: string,
  create: Append["create"],
  listing: Append["listing"],
): Stream {
  if (!create) throw new Error(`${id} was checked and is not there`);
  const { base } = create;
  const parent = base && disk.streams.get(base.id);
  const cut = base?.seq ?? 0;
  return {
    id,
    place: create,
    lines: parent?.lines.slice(0, cut) ?? [],
    patches: parent?.patches.filter(({ seq }) => seq <= cut) ?? [],
    heads: parent?.heads.filter(({ seq }) => seq <= cut) ?? [],
    listing,
    lease: { epoch: 0, holder: null },
  };
}

function find(disk: SmallDisk, ref: StreamRef): Stream | undefined {
  if ("id" in ref) return disk.streams.get(ref.id);
  return [...disk.streams.values()].find(
    ({ place }) => place.kind === ref.kind && place.owner === ref.owner && place.key === ref.key,
  );
}

function readPart(stream: Stream, read: StreamRead, show: Show): StreamPart {
  const { rows = [], events = [], heads = [] } = read;
  return {
    stream: show(stream),
    rows: rows.map((query) => readPatches(stream, query)),
    events: events.map((range) => readLines(stream, range).map(showLine)),
    heads: heads.map((seq) => {
      const found = stream.heads.findLast((stored) => stored.seq <= seq);
      return found && { ...found, head: value(found.head) };
    }),
  };
}

function readLines({ lines }: Stream, range: EventRange): Line[] {
  const { limit, bytes = Number.POSITIVE_INFINITY } = range;
  const isForwards = "after" in range;
  const rest = isForwards
    ? lines.slice(range.after, range.after + limit)
    : lines
        .slice(0, Math.max(0, range.before - 1))
        .toReversed()
        .slice(0, limit);
  const page = rest.slice(
    0,
    countWithin(
      rest.map(({ body }) => bytesIn(body)),
      bytes,
    ),
  );
  return isForwards ? page : page.toReversed();
}

function readPatches(stream: Stream | undefined, query: RowQuery): StoredPatch[] {
  const { kind, key, at = Infinity, after = -Infinity, before = Infinity } = query;
  const { limit = Infinity, bytes = Infinity } = query;
  const patches = (stream?.patches ?? [])
    .filter((patch) => patch.kind === kind && patch.seq <= at)
    .filter(({ place }) => place > after && place < before)
    .toSorted((a, b) => a.place - b.place || a.nth - b.nth || a.seq - b.seq);
  const items = [...Map.groupBy(patches, ({ place, nth }) => `${place} ${nth}`).values()].filter(
    (item) => key === undefined || item.find((patch) => patch.key !== null)?.key === key,
  );
  const places = [...Map.groupBy(items, ([first]) => first?.place).values()];
  if (query.before !== undefined) places.reverse();
  const page: typeof places = [];
  let [count, size] = [0, 0];
  for (const place of places) {
    size += place.flat().reduce((sum, { data }) => sum + bytesIn(data), 0);
    if (count >= limit || (size > bytes && page.length > 0)) break;
    count += place.length;
    page.push(place);
  }
  if (query.before !== undefined) page.reverse();
  return page.flat(2).map(({ kind: _, data, ...patch }) => ({ ...patch, data: fields(data) }));
}

function list(
  disk: SmallDisk,
  query: ListQuery,
  declared: ListingDeclaration,
  show: Show,
): ListPage {
  const { kind, owner, filter, limit, after } = query;
  checkFilter(filter, declared);
  const found = [...disk.streams.values()]
    .filter(({ place }) => place.kind === kind && (owner === null || place.owner === owner))
    .filter(({ place, listing }) => matchesFilter({ key: place.key, listing }, filter, declared))
    .map((stream) => ({ stream, cursor: cursorOf(stream, declared) }))
    .toSorted((a, b) => (a.cursor < b.cursor ? 1 : -1));
  if (after !== undefined && !/^\d{16} /.test(after)) throw invalidCursor(after);
  const rest = found.filter(({ cursor }) => after === undefined || cursor < after);
  const page = rest.slice(0, limit);
  const next = rest.length > page.length ? (page.at(-1)?.cursor ?? null) : null;
  return { streams: page.map(({ stream }) => show(stream)), damaged: [], next };
}

function cursorOf({ id, listing }: Stream, { order }: ListingDeclaration): string {
  return `${String(listing[order]).padStart(16, "0")} ${id}`;
}

function showLine({ event, body, hash, writer }: Line) {
  return { ...structuredClone(event), data: value(body), hash, writer };
}

function value(content: Content): unknown {
  return typeof content === "string" ? JSON.parse(content) : content.slice();
}

function fields(content: Content): StoredPatch["data"] {
  return typeof content === "string" ? JSON.parse(content) : content.slice();
}
