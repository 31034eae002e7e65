import type { CheckedPatch } from "../append-rules.ts";
import type { BlobRef } from "../blob-store.ts";
import type { Content } from "../content.ts";
import { describeLease, type LeaseClock, type LeaseState } from "../lease-rules.ts";
import type {
  FeedEvent,
  Idempotency,
  ListingValues,
  StoredEvent,
  StoredHead,
  StoredStream,
  StreamRef,
} from "../stream-store.ts";

interface MemoryBlob extends BlobRef {
  readonly chunks: readonly Uint8Array[];
}

/** What a database is to the other stores. */
export interface MemoryBacking {
  readonly streams: Map<string, MemoryStream>;
  /** By kind, owner and key. */
  readonly ids: Map<string, string>;
  /** By position, which outlives a purged event. */
  readonly feed: (MemoryFeedEvent | null)[];
  names: NamedAt[];
  readonly remembered: Map<string, Remembered>;
  /** By digest. */
  readonly blobs: Map<string, MemoryBlob>;
  readonly purged: Set<string>;
  readonly watchers: Set<() => void>;
}

/** A fork begins with copies of what it inherits: what a database saves by pointing, memory has room for. */
export interface MemoryStream {
  readonly id: string;
  readonly kind: StoredStream["kind"];
  readonly owner: string;
  readonly key: string;
  readonly events: MemoryEvent[];
  readonly heads: MemoryHead[];
  readonly rows: MemoryPatch[];
  /** Digests of what it holds, and after which event. */
  readonly blobs: Map<string, number>;
  listing: ListingValues | null;
  lease: LeaseState;
}

/** Contents are kept as text or bytes, so that nobody who was shown one can alter it. */
export interface MemoryEvent extends StoredEvent {
  readonly data: Content;
}
export interface MemoryFeedEvent extends FeedEvent {
  readonly data: Content;
}
interface MemoryHead extends StoredHead {
  readonly head: Content;
}
export interface MemoryPatch extends CheckedPatch {
  readonly writer: string;
}

interface NamedAt {
  readonly owner: string;
  readonly name: string;
  readonly id: string;
  readonly seq: number;
  /** In the feed, of the event that came with it. */
  readonly position: number;
}

/** The answer to a request that came with an idempotency key. */
interface Remembered {
  readonly digest: string;
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

export function createBacking(): MemoryBacking {
  return {
    streams: new Map(),
    ids: new Map(),
    feed: [],
    names: [],
    remembered: new Map(),
    blobs: new Map(),
    purged: new Set(),
    watchers: new Set(),
  };
}

export function findStream(backing: MemoryBacking, ref: StreamRef): MemoryStream | undefined {
  const id = "id" in ref ? ref.id : backing.ids.get(placeOf(ref));
  return id === undefined ? undefined : backing.streams.get(id);
}

export function describeStream(stream: MemoryStream, clock: LeaseClock): StoredStream {
  const { id, kind, owner, key, events, heads, lease } = stream;
  const head = showContent(heads.at(-1)?.head ?? "null");
  return { id, kind, owner, key, seq: events.length, head, lease: describeLease(lease, clock) };
}

export function placeOf(ref: { kind: string; owner: string; key: string }): string {
  return JSON.stringify([ref.kind, ref.owner, ref.key]);
}

export function rememberedUnder({ scope, key }: Idempotency): string {
  return JSON.stringify([scope, key]);
}

/** What a database would hand back: the value as JSON keeps it, which nobody can alter. */
export function frozen<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, member) => Object.freeze(member));
}

/** What a database would hand back. */
export function showContent(content: Content): unknown {
  if (typeof content !== "string") return content.slice();
  return JSON.parse(content, (_key, member) => Object.freeze(member));
}
