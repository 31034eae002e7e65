import type { Refusal } from "../contract/errors.ts";
import type {
  FieldKind,
  ListingDeclaration,
  ListingOf,
  NewRow,
  RowQuery,
} from "../contract/stream.ts";
import type { StreamKind } from "../contract/vocabulary.ts";
import type { BlobStore } from "./blob-store.ts";

/**
 * Bytes of every text that a store may index: keys, owners, names, row keys, idempotency keys, listing fields, and of
 * actor, type, interface and trace_id. They are well-formed Unicode without NUL; every store refuses others (`invalid_input`).
 */
export const MAX_INDEXED_BYTES = 512;

/**
 * The port between Belay and its databases: append-only streams with a head.
 *
 * A store knows nothing of sessions. It is handed a decision, runs it inside its own write transaction on the current
 * heads, and keeps what the decision returns. It is opened with a declaration of the fields that streams are listed by
 * (conformance/listing). Each guarantee below names the file of conformance/claims that
 * holds every store to it.
 */
export interface StreamStore {
  /**
   * Runs a decision and keeps its result, all of it or nothing (conformance/atomic-append). Concurrent decisions on one
   * stream run one after the other, each on the state the one before it left (conformance/concurrent-decisions). When the
   * promise resolves the result is durable; when it rejects, it is not acknowledged (conformance/reopen). A refusal
   * leaves nothing behind (conformance/refusal). A decision that is handed in again with its idempotency key is not run
   * a second time (conformance/idempotency). The decision may be run more than once before one run is kept. It appends
   * to a stream at most once; what was committed is answered in the order of its appends.
   */
  transact(transaction: Transaction): Promise<Outcome>;

  /**
   * Parts of many streams as of one moment, in the order asked for; undefined for a stream that does not exist
   * (conformance/read). Never a half-written or an altered one (conformance/reopen, damage tests). With `bytes` the
   * answer ends after the part that exceeds them; the caller asks for the rest again (conformance/bytes).
   *
   * - `events`: in order of seq, inherited ones included, never with a gap (conformance/paging, conformance/fork). With
   *   `bytes` a page ends before its bodies exceed that; it has at least one event where there is one (conformance/bytes).
   * - `rows`: the patches of index rows by place, nth and seq, as of `at` when given, each with the stream that wrote it
   *   (conformance/rows, conformance/fork). A store never merges them: `mergeRows` does. A page counts whole items and
   *   completes its last place, so it may exceed its limit (conformance/paging). With `bytes` a page ends before its data
   *   exceeds that; it has at least one place where there is one (conformance/bytes).
   * - `heads`: the newest stored head at or before each seq, its own seq at most 64 events (or one transaction) before
   *   (conformance/fork).
   */
  read(reads: readonly StreamRead[], bytes?: number): Promise<(StreamPart | undefined)[]>;

  /**
   * Streams by the time that was declared for it, newest first, within their bands if there are any. A stream that does
   * not change while someone pages through appears exactly once (conformance/paging). An unknown filter is an error, never "all rows" (conformance/filters). Streams that can no
   * longer be read are named and hide no others.
   */
  list(query: ListQuery): Promise<ListPage>;

  /**
   * How many streams of an owner have each value of the field that streams are counted by, and their sum, as of one moment:
   * each value once, in any order (conformance/tally). Counted without looking at the streams themselves, those included that can
   * no longer be read: what is wrong with an index is for `inspect` to find.
   */
  tally(kind: StreamKind, owner: string): Promise<Tally[]>;

  /** Streams of an owner that have put down this name themselves, each once, oldest first (conformance/names). */
  findByName(owner: string, name: string, page: NamePage): Promise<NamedPlace[]>;

  /**
   * Every event in one order that all readers share: each stream's by seq, and a transaction after all that had been
   * acknowledged before it began. A reader that follows the cursor skips and repeats none; an acknowledged event may
   * appear a moment later. It begins at the empty cursor, and a page is empty only at the end (conformance/feed).
   * With `bytes` a page ends before its bodies exceed that; it has at least one event (conformance/bytes). Asked for what
   * comes after null, a store answers an empty page with a cursor that every later commit lies behind.
   */
  readFeed(query: FeedQuery): Promise<FeedPage>;
  /** Calls back within 50 ms of `readFeed` having more, whichever process wrote it. May call for nothing (conformance/feed). */
  watch(onChange: () => void): () => void;

  /**
   * Grants the lease of a stream to one holder at a time; each grant has a higher epoch than any before it, no matter who held
   * it. A holder that is dead is replaced at once; one that cannot be looked at from here as soon as it has not renewed
   * its lease in time; another only by `force`. Renewing holds the lease for its full time again, releasing ends it; both
   * only under the newest epoch. Answers whether the caller holds the lease now, and if not, who does
   * (conformance/lease).
   */
  lease(id: string, request: LeaseRequest): Promise<LeaseAnswer>;

  /**
   * Takes a stream away for good, but for the events that forks of it share, and leaves its last seq and hash behind
   * so that it can be told from one that was lost (conformance/purge).
   */
  purge(id: string, at: number): Promise<void>;

  /** For contents that are too large for events; a store without it keeps none. */
  readonly blobs?: BlobStore;

  /** Where the store has a place for them; without it, callers of other processes are not waited for. */
  readonly notes?: SharedNotes;

  close(): Promise<void>;
}

/** Pairs of numbers that every process on the same data sees at once. Nobody relies on one: it may be lost at any time. */
export interface SharedNotes {
  read(key: string): readonly [number, number] | null;
  write(key: string, note: readonly [number, number]): void;
}

export type StreamRef =
  | { readonly id: string }
  | { readonly kind: StreamKind; readonly owner: string; readonly key: string };

export interface Transaction {
  /**
   * All that the decision touches, loaded and locked before it runs: each append's stream, each create by its key, each
   * base. A store throws on any other (conformance/undeclared).
   */
  readonly streams: readonly StreamRef[];
  /** Index rows the decision needs, of the streams above by position. */
  readonly reads?: readonly { readonly stream: number; readonly query: RowQuery }[];
  readonly idempotency?: Idempotency;
  /** Pure: sees the loaded state, returns what to keep. No Promise: nothing may wait inside a transaction. */
  decide(loaded: Loaded): Decision;
}

export interface Idempotency {
  /** Owner and operation: the same key elsewhere is another key. */
  readonly scope: string;
  readonly key: string;
  /** Of the request; another digest under the same key is a conflict. */
  readonly digest: string;
}

export interface Loaded {
  readonly streams: readonly (StoredStream | undefined)[];
  /** One list of patches for each read. */
  readonly rows: readonly (readonly StoredPatch[])[];
}

export type Decision = Verdict | MoreNeeded;
/** Without any append, nothing is kept and no idempotency key is used up. */
export type Verdict = { readonly refused: Refusal } | { readonly appends: readonly Append[] };
/** One more stream is needed: it is loaded and locked as if it had been declared, and decided upon (conformance/load). */
export interface MoreNeeded {
  readonly load: StreamRef;
  decide(stream: StoredStream | undefined): Verdict;
}

export interface Append {
  readonly id: string;
  /** Set for a stream that does not exist yet; with `base` it continues another stream's log after that seq. */
  readonly create?: {
    readonly kind: StreamKind;
    readonly owner: string;
    readonly key: string;
    readonly base?: { readonly id: string; readonly seq: number };
  };
  /** Numbered from the stream's seq + 1 without gaps. At least one. */
  readonly events: readonly NewEvent[];
  /** A JSON value, or bytes, which a store keeps and hands back as they are (conformance/content). */
  readonly head: unknown;
  readonly rows: readonly NewPatch[];
  readonly names: readonly string[];
  /** A value for each declared field, and no other (conformance/listing). */
  readonly listing: ListingValues;
}

export type ListingValues = ListingOf<ListingDeclaration>;

export interface NewEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly actor: string;
  readonly interface: string;
  readonly trace_id: string | null;
  /** A JSON value, or bytes, which a store keeps and hands back as they are (conformance/content). */
  readonly data: unknown;
  /**
   * The event opens an index row, of which its data is the first patch: an object or bytes (conformance/opened-rows). Its place
   * is the event's seq, its nth 0.
   */
  readonly row?: { readonly kind: string; readonly key: string | null };
}

/** One patch of an index row. */
export interface NewPatch extends Omit<NewRow, "data"> {
  readonly data: NewRow["data"] | Uint8Array;
}

export interface StoredEvent extends Omit<NewEvent, "row"> {
  readonly hash: string;
  /** The stream that wrote it: of an inherited event, an ancestor. */
  readonly writer: string;
}

/** A patch as it was appended. */
export interface StoredPatch extends Omit<NewPatch, "kind"> {
  /** The stream that wrote it: of an inherited patch, an ancestor. */
  readonly writer: string;
}

export interface StoredHead {
  readonly seq: number;
  readonly head: unknown;
  readonly writer: string;
}

export type EventRange =
  | { readonly after: number; readonly limit: number; readonly bytes?: number }
  | { readonly before: number; readonly limit: number; readonly bytes?: number };

export interface StreamRead {
  readonly ref: StreamRef;
  readonly rows?: readonly RowQuery[];
  readonly events?: readonly EventRange[];
  /** Each a seq. */
  readonly heads?: readonly number[];
}
/** One page for each query and each range that was asked for, and one head for each seq. */
export interface StreamPart {
  readonly stream: StoredStream;
  readonly rows: readonly (readonly StoredPatch[])[];
  readonly events: readonly (readonly StoredEvent[])[];
  readonly heads: readonly (StoredHead | undefined)[];
}

/**
 * What a list selects: one value for each field that matters, by the kind of the field, and two filters that every store
 * has. The key of a stream starts with `key_prefix`. Of the streams that are counted under the value of `recent`, a list has
 * only those strictly after its time, and of all others every one.
 */
export type FilterOf<Declared extends ListingDeclaration> = {
  readonly [Name in keyof Declared["fields"]]?: FieldFilters[Declared["fields"][Name]] | undefined;
} & { readonly key_prefix?: string | undefined; readonly recent?: Recent | undefined };

interface FieldFilters {
  /** This text, or one of these. */
  readonly text: string | readonly string[];
  /** Whether there are any. */
  readonly count: boolean;
  readonly flag: boolean;
  readonly time: TimeRange;
}
/** Strictly after, strictly before. */
export interface TimeRange {
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}
export interface Recent {
  readonly value: string;
  readonly after: number;
}

/** The same for fields that are known when a store is opened. */
export type ListFilter = Readonly<Record<string, FilterValue | undefined>>;
export type FilterValue = FieldFilters[FieldKind] | Recent;

export interface ListQuery {
  readonly kind: StreamKind;
  /** Null is every owner: for maintenance only. */
  readonly owner: string | null;
  readonly filter: ListFilter;
  /** First the streams that the first of these selects too, then those of the next: at most ten, each stream in one of them. */
  readonly bands?: readonly ListFilter[];
  readonly limit: number;
  readonly after?: string;
}
export interface ListPage {
  readonly streams: readonly StoredStream[];
  readonly damaged: readonly { readonly id: string; readonly key: string }[];
  readonly next: string | null;
}

export interface Tally {
  /** Of the field that streams are counted by. */
  readonly value: string;
  readonly streams: number;
  /** Of the field that is summed, over these streams. */
  readonly sum: number;
}

export interface StoredStream {
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly head: unknown;
  /** Null when it was never held, or released. */
  readonly lease: Lease | null;
}

export interface NamePage {
  readonly limit: number;
  readonly after?: string;
}
export interface NamedPlace {
  readonly id: string;
  readonly seq: number;
  readonly cursor: string;
}

export interface FeedQuery {
  /** A cursor; null is the end. */
  readonly after: string | null;
  readonly limit: number;
  readonly bytes?: number;
}
export interface FeedEvent extends StoredEvent {
  readonly stream: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
}
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  readonly cursor: string;
}

export interface Holder {
  readonly name: string;
  readonly pid: number;
  readonly start_time: number | null;
  readonly boot_id: string | null;
  /** Where its pid has a meaning: its pid namespace. Null where there is none, absent in what an older Belay wrote. */
  readonly node?: string | null | undefined;
  /** Where its node and its boot have a meaning. Null where it is not known, absent in what an older Belay wrote. */
  readonly machine?: string | null | undefined;
}
/** Whether a holder lives; null where that cannot be known from here, so that its lease ends by time. */
export type CheckHolder = (holder: Holder) => boolean | null;

export interface Lease {
  readonly epoch: number;
  readonly holder: Holder;
  /** False when the holder is dead or its time ran out: still the newest epoch until someone acquires. */
  readonly live: boolean;
}
export interface GrantedLease {
  readonly granted: true;
  readonly epoch: number;
  /** Milliseconds after which the lease may pass to another, unless it is renewed before. */
  readonly renew_within: number;
}
export type LeaseRequest =
  | { readonly acquire: Holder; readonly force?: boolean }
  | { readonly renew: number }
  | { readonly release: number };
export type LeaseAnswer =
  | GrantedLease
  /** Null when nobody has it. */
  | { readonly granted: false; readonly held: Lease | null };

export type Outcome =
  | { readonly kind: "committed"; readonly streams: readonly StoredStream[] }
  /** The seq range of the first append of the transaction that had this key. */
  | { readonly kind: "replayed"; readonly id: string; readonly from: number; readonly to: number }
  | { readonly kind: "refused"; readonly refusal: Refusal };
