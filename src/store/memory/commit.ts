import { createHash } from "node:crypto";
import type { CheckedAppend } from "../append-rules.ts";
import type { Content } from "../content.ts";
import type { Append, Idempotency, NewEvent } from "../stream-store.ts";
import {
  frozen,
  type MemoryBacking,
  type MemoryEvent,
  type MemoryStream,
  placeOf,
  rememberedUnder,
} from "./memory-backing.ts";

/**
 * Saves the result of a decision and returns the streams. Everything that can fail runs before the
 * first change.
 */
export function commit(
  backing: MemoryBacking,
  appends: readonly CheckedAppend[],
  idempotency: Idempotency | undefined,
): MemoryStream[] {
  const prepared = appends.map((checked) => prepare(backing, checked));

  for (const each of prepared) save(backing, each);
  const [first] = prepared;
  if (idempotency && first) {
    const { stream, events } = first;
    const to = stream.events.length;
    const from = to - events.length + 1;
    const answer = { digest: idempotency.digest, id: stream.id, from, to };
    backing.remembered.set(rememberedUnder(idempotency), answer);
  }
  const streams = prepared.map(({ stream }) => stream);
  backing.watchers.call(streams.map(({ id, events }) => [id, events.length]));
  return streams;
}

interface Prepared extends Pick<CheckedAppend, "head" | "patches"> {
  readonly stream: MemoryStream;
  readonly events: readonly MemoryEvent[];
  readonly append: Pick<Append, "names" | "listing">;
}

function prepare(backing: MemoryBacking, checked: CheckedAppend): Prepared {
  const { append, bodies, head, patches } = checked;
  const stream = append.create
    ? createStream(backing, append.id, append.create)
    : backing.streams.get(append.id);
  if (!stream) throw new Error(`${append.id} was checked and is not there`);
  const { names, listing } = append;
  const events = chain(stream, append.events, bodies);
  return { stream, events, head, patches, append: frozen({ names, listing }) };
}

function save(backing: MemoryBacking, prepared: Prepared): void {
  const { stream, events, head, patches, append } = prepared;
  const { id, kind, owner, key } = stream;
  backing.streams.set(id, stream);
  backing.ids.set(placeOf(stream), id);
  for (const event of events) {
    stream.events.push(event);
    backing.feed.push({ ...event, stream: id, kind, owner, key });
  }
  const seq = stream.events.length;
  stream.heads.push({ seq, head, writer: id });
  for (const patch of patches) stream.rows.push({ ...patch, writer: id });
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
    blobs: new Map([...(parent?.blobs ?? [])].filter(([, { seq }]) => seq < cut)),
    listing: null,
    lease: { epoch: 0, holder: null },
  };
}

function chain(
  { id, events: before }: MemoryStream,
  events: readonly NewEvent[],
  bodies: readonly Content[],
): MemoryEvent[] {
  let hash = before.at(-1)?.hash ?? "";
  return events.map(({ row, data, ...event }, index) => {
    const body = bodies[index] ?? "null";
    hash = sha256(JSON.stringify([hash, event, typeof body, sha256(body)]));
    return { ...frozen(event), data: body, hash, writer: id };
  });
}

function sha256(content: Content): string {
  return createHash("sha256").update(content).digest("hex");
}
