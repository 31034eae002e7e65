import { createHash } from "node:crypto";
import type { Append, Idempotency, NewEvent, StoredEvent } from "../stream-store.ts";
import { frozen } from "./frozen.ts";
import {
  type MemoryBacking,
  type MemoryStream,
  placeOf,
  rememberedUnder,
} from "./memory-backing.ts";

/** Keeps what a decision returned, and answers with the streams. Everything that can fail comes before the first change. */
export function commit(
  backing: MemoryBacking,
  appends: readonly Append[],
  idempotency: Idempotency | undefined,
): MemoryStream[] {
  rejectTwice(appends);
  const prepared = appends.map((append) => prepare(backing, append));
  if (idempotency && prepared.length === 0) throw new Error("an idempotency key for no append");

  for (const each of prepared) keep(backing, each);
  const [first] = prepared;
  if (idempotency && first) {
    const { stream, events } = first;
    const to = stream.events.length;
    const from = to - events.length + 1;
    const answer = { digest: idempotency.digest, id: stream.id, from, to };
    backing.remembered.set(rememberedUnder(idempotency), answer);
  }
  for (const watcher of backing.watchers) {
    queueMicrotask(() => backing.watchers.has(watcher) && watcher());
  }
  return prepared.map(({ stream }) => stream);
}

interface Prepared {
  readonly stream: MemoryStream;
  readonly events: readonly StoredEvent[];
  readonly append: Pick<Append, "head" | "rows" | "names" | "listing">;
}

function prepare(backing: MemoryBacking, append: Append): Prepared {
  const stream = append.create
    ? createStream(backing, append.id, append.create)
    : backing.streams.get(append.id);
  if (!stream) throw new Error(`append to ${append.id}, which does not exist`);
  rejectMisnumbered(stream, append.events);

  const { head, rows, names, listing } = append;
  return {
    stream,
    events: chain(stream, append.events),
    append: frozen({ head, rows, names, listing }),
  };
}

function keep(backing: MemoryBacking, { stream, events, append }: Prepared): void {
  const { id, kind, owner, key } = stream;
  backing.streams.set(id, stream);
  backing.ids.set(placeOf(stream), id);
  for (const event of events) {
    stream.events.push(event);
    backing.feed.push(Object.freeze({ ...event, stream: id, kind, owner, key }));
  }
  const seq = stream.events.length;
  stream.heads.push(Object.freeze({ seq, head: append.head, writer: id }));
  for (const row of append.rows) stream.rows.push(Object.freeze({ ...row, writer: id }));
  stream.listing = append.listing;
  for (const name of append.names) {
    const isKnown = backing.names.some((known) => known.id === id && known.name === name);
    if (!isKnown) backing.names.push({ owner, name, id, seq, position: backing.feed.length });
  }
}

function createStream(
  backing: MemoryBacking,
  id: string,
  { kind, owner, key, base }: NonNullable<Append["create"]>,
): MemoryStream {
  if (backing.streams.has(id)) throw new Error(`${id} exists`);
  if (backing.ids.has(placeOf({ kind, owner, key }))) throw new Error(`${kind} ${key} exists`);
  const parent = base && backing.streams.get(base.id);
  const cut = base?.seq ?? 0;
  if (base && (!parent || cut < 1 || cut > parent.events.length)) {
    throw new Error(`fork of ${base.id} at ${cut}, which it does not have`);
  }
  return {
    id,
    kind,
    owner,
    key,
    events: parent?.events.slice(0, cut) ?? [],
    heads: parent?.heads.filter((stored) => stored.seq <= cut) ?? [],
    rows: parent?.rows.filter((row) => row.seq <= cut) ?? [],
    blobs: new Map([...(parent?.blobs ?? [])].filter(([, seq]) => seq < cut)),
    listing: null,
    lease: null,
    epoch: 0,
  };
}

function chain({ id, events: before }: MemoryStream, events: readonly NewEvent[]): StoredEvent[] {
  let hash = before.at(-1)?.hash ?? "";
  return events.map((event) => {
    hash = sha256(JSON.stringify([hash, { ...event, data: sha256(JSON.stringify(event.data)) }]));
    return frozen({ ...event, hash, writer: id });
  });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function rejectTwice(appends: readonly Append[]): void {
  const places = appends.flatMap(({ id, create }) => (create ? [id, placeOf(create)] : [id]));
  if (new Set(places).size < places.length) throw new Error("two appends to one stream");
}

function rejectMisnumbered(stream: MemoryStream, events: readonly NewEvent[]): void {
  const next = stream.events.length + 1;
  if (events.length === 0) throw new Error(`append to ${stream.id} without events`);
  for (const [index, { seq }] of events.entries()) {
    if (seq === next + index) continue;
    throw new Error(`event ${seq} of ${stream.id} where ${next + index} is next`);
  }
}
