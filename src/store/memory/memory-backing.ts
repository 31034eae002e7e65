import type { BlobRef } from "../blob-store.ts";
import type { Content } from "../content.ts";
import { describeLease, type LeaseClock, type LeaseState } from "../lease-rules.ts";
import type { KeptPatch } from "../scan/read-rows.ts";
import { showContent } from "../scan/show-content.ts";
import type {
  FeedEvent,
  Idempotency,
  ListingValues,
  StoredEvent,
  StoredHead,
  StoredStream,
  StreamRef,
} from "../stream-store.ts";
import { StreamWatchers } from "../stream-watchers.ts";

interface MemoryBlob extends BlobRef {
  readonly chunks: readonly Uint8Array[];
}

/** The shared data of memory stores, like the database of other stores. */
export interface MemoryBacking {
  readonly streams: Map<string, MemoryStream>;
  /** Stream ids by kind, owner and key. */
  readonly ids: Map<string, string>;
  /** Events by position. Purged events leave null, so positions stay valid. */
  readonly feed: (MemoryFeedEvent | null)[];
  names: NamedAt[];
  readonly remembered: Map<string, Remembered>;
  /** Blobs by digest. */
  readonly blobs: Map<string, MemoryBlob>;
  readonly purged: Set<string>;
  readonly watchers: StreamWatchers;
}

/** A blob that a stream has. */
interface HeldBlob {
  /** The event after which it was stored. */
  readonly seq: number;
  /** The stream that put it, and its owner, for whom it counts. */
  readonly writer: string;
  readonly owner: string;
}

/** A fork starts with copies of the events it inherits. A database would use pointers instead. */
export interface MemoryStream {
  readonly id: string;
  readonly kind: StoredStream["kind"];
  readonly owner: string;
  readonly key: string;
  readonly events: MemoryEvent[];
  readonly heads: MemoryHead[];
  readonly rows: KeptPatch[];
  /** Its blobs by digest. A fork has those of its parent too. */
  readonly blobs: Map<string, HeldBlob>;
  listing: ListingValues | null;
  lease: LeaseState;
}

/** Contents are stored as text or bytes, so that readers cannot change them. */
export interface MemoryEvent extends StoredEvent {
  readonly data: Content;
}
export interface MemoryFeedEvent extends FeedEvent {
  readonly data: Content;
}
interface MemoryHead extends StoredHead {
  readonly head: Content;
}

interface NamedAt {
  readonly owner: string;
  readonly name: string;
  readonly id: string;
  readonly seq: number;
  /** The feed position of the event that brought the patch. */
  readonly position: number;
}

/** The stored answer to a request with an idempotency key. */
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
    watchers: new StreamWatchers(),
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

/** A frozen copy through JSON, as a database would return it. */
export function frozen<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, member) => Object.freeze(member));
}
