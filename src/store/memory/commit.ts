import { createHash } from "node:crypto";
import type { CheckedAppend } from "../append-rules.ts";
import type { Append, Idempotency, NewEvent, StoredEvent } from "../stream-store.ts";
import {
  frozen,
  type MemoryBacking,
  type MemoryStream,
  placeOf,
  rememberedUnder,
} from "./memory-backing.ts";

/** Keeps what a decision returned, and answers with the streams. Everything that can fail comes before the first change. */
export function commit(
  backing: MemoryBacking,
  appends: readonly CheckedAppend[],
  idempotency: Idempotency | undefined,
): MemoryStream[] {
  const prepared = appends.map(({ append }) => prepare(backing, append));

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
  if (!stream) throw new Error(`${append.id} was checked and is not there`);
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
  const parent = base && backing.streams.get(base.id);
  const cut = base?.seq ?? 0;
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
    lease: { epoch: 0, holder: null },
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
