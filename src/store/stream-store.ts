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
import type { FileSeal } from "./file-seal.ts";
import type { Lease, LeaseAnswer, LeaseRequest } from "./lease.ts";
import type { NodeRegistry } from "./node-registry.ts";

export type {
  CheckHolder,
  GrantedLease,
  Holder,
  Lease,
  LeaseAnswer,
  LeaseRequest,
} from "./lease.ts";

/**
 * The byte limit of every text that a store may index: keys, owners, names, row keys, idempotency
 * keys, listing fields, actor, type, interface and trace_id. These texts are well-formed Unicode
 * without NUL; every store refuses others (`invalid_input`).
 */
export const MAX_INDEXED_BYTES = 512;

/**
 * The port between Belay and its databases: append-only streams with a head.
 *
 * A store knows nothing about sessions. It receives a decision, runs it inside its own write
 * transaction on the current heads, and saves the result. It is opened with a declaration of the
 * fields that streams are listed by (conformance/listing). Each guarantee below names the file of
 * conformance/claims that checks it for every store.
 */
export interface StreamStore {
  /**
   * Runs a decision and saves its result, all of it or nothing (conformance/atomic-append).
   * Concurrent decisions on one stream run in order, each on the state that the previous one left
   * (conformance/concurrent-decisions). When the promise resolves, the result is durable; when it
   * rejects, the result is not acknowledged (conformance/reopen). A refusal saves nothing
   * (conformance/refusal). A decision with an idempotency key that was used before does not run
   * again (conformance/idempotency). A decision may run several times before one result is saved.
   * It appends to a stream at most once; the answer lists the commits in the order of its appends.
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
   * Lists streams by the declared time, newest first, within their bands if there are any. A stream
   * that does not change during paging appears exactly once (conformance/paging). An unknown filter
   * is an error and never selects all rows (conformance/filters). Unreadable streams are named and
   * hide no others.
   */
  list(query: ListQuery): Promise<ListPage>;

  /**
   * Counts an owner's streams by the declared field and sums the declared count, as of one moment:
   * each value once, in any order (conformance/tally). It reads only indexes, so unreadable streams
   * count too; `inspect` finds damaged indexes.
   */
  tally(kind: StreamKind, owner: string): Promise<Tally[]>;

  /**
   * The streams of an owner that recorded this name themselves, each once, oldest first
   * (conformance/names).
   */
  findByName(owner: string, name: string, page: NamePage): Promise<NamedPlace[]>;

  /**
   * Reads all events in one order that all readers share: each stream's by seq, and a transaction
   * after all that were acknowledged before it started. A reader that follows the cursor skips and
   * repeats none; an acknowledged event may appear a moment later. The empty cursor is the start,
   * and a page is empty only at the end (conformance/feed). With `bytes` a page ends before its
   * bodies exceed that; it has at least one event (conformance/bytes). After null, the answer is an
   * empty page with a cursor before every later commit.
   */
  readFeed(query: FeedQuery): Promise<FeedPage>;
  /**
   * Finds an event of the feed: the newest one before a cursor, the one with a place in the stream that wrote it, or
   * (with null) one that everything in the feed so far comes before, and every later commit after. Null if there is none
   * before the cursor, or if it was purged from its stream. Undefined if this feed never had it, or if the cursor is not
   * one of this feed (conformance/feed).
   */
  findInFeed(sought: string | EventPlace | null): Promise<FoundInFeed | null | undefined>;
  /**
   * Calls back within 50 ms after `readFeed` has more, whichever process wrote it (conformance/feed).
   * With the id of a stream, only changes of this stream call it, with the newest seq if that is
   * known (conformance/watch). It may call without a change, rarely.
   */
  watch(onChange: (seq?: number) => void, stream?: string): () => void;

  /**
   * Grants the lease of a stream to one holder at a time. Each grant has a higher epoch than all
   * before it. A dead holder is replaced at once; a holder that cannot be checked, as soon as it
   * has not renewed in time; any other only with `force`. Renewing restarts the full time,
   * releasing ends the lease; both need the newest epoch. The answer says if the caller holds the
   * lease now and, if not, who does (conformance/lease).
   */
  lease(id: string, request: LeaseRequest): Promise<LeaseAnswer>;

  /**
   * Removes a stream permanently, except for the events that forks share. It stores the last seq
   * and hash, so that a purged stream differs from a lost one. With `seq`, a stream that has another
   * last event stays: it changed after its purge was decided (conformance/purge).
   */
  purge(id: string, at: number, seq?: number): Promise<void>;

  /** Storage for contents that are too large for events; optional. */
  readonly blobs?: BlobStore;

  /** Optional; without it, callers do not wait for other processes. */
  readonly notes?: SharedNotes;

  /** Present if processes on several machines can serve the same data. */
  readonly nodes?: NodeRegistry;

  /** Present if the store encrypts; for texts in files beside it. */
  readonly fileSeal?: FileSeal;

  close(): Promise<void>;
}

/**
 * Pairs of numbers that every process on the same data sees at once. A note may be lost at any
 * time, so nothing may depend on it.
 */
export interface SharedNotes {
  read(key: string): readonly [number, number] | null;
  write(key: string, note: readonly [number, number]): void;
}

export type StreamRef =
  | { readonly id: string }
  | { readonly kind: StreamKind; readonly owner: string; readonly key: string };

export interface Transaction {
  /**
   * All streams that the decision touches, loaded and locked before it runs: each append's stream,
   * each create by its key, each base. A store throws on any other (conformance/undeclared).
   */
  readonly streams: readonly StreamRef[];
  /** True if the first stream is new, as far as the caller knows: a store may decide before it looks for the stream. */
  readonly expectsNew?: boolean;
  /** Index rows that the decision needs; `stream` is an index into the streams above. */
  readonly reads?: readonly { readonly stream: number; readonly query: RowQuery }[];
  readonly idempotency?: Idempotency;
  /** A pure function of the loaded state that returns the changes. Synchronous: nothing may wait in a transaction. */
  decide(loaded: Loaded): Decision;
}

export interface Idempotency {
  /** Owner and operation: the same key in another scope is another key. */
  readonly scope: string;
  readonly key: string;
  /** The digest of the request; another digest under the same key is a conflict. */
  readonly digest: string;
}

export interface Loaded {
  readonly streams: readonly (StoredStream | undefined)[];
  /** One list of patches for each read. */
  readonly rows: readonly (readonly StoredPatch[])[];
}

export type Decision = Verdict | MoreNeeded;
/** Without appends, nothing is saved and the idempotency key stays unused. */
export type Verdict = { readonly refused: Refusal } | { readonly appends: readonly Append[] };
/**
 * The decision needs one more stream, which is loaded and locked as if it had been declared
 * (conformance/load).
 */
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
  /** A JSON value, or bytes, which a store saves and returns unchanged (conformance/content). */
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
  /** A JSON value, or bytes, which a store saves and returns unchanged (conformance/content). */
  readonly data: unknown;
  /**
   * Set if the event opens an index row with its data as the first patch: an object or bytes
   * (conformance/opened-rows). The place is the event's seq, and nth is 0.
   */
  readonly row?: { readonly kind: string; readonly key: string | null };
}

/** One patch of an index row. */
export interface NewPatch extends Omit<NewRow, "data"> {
  readonly data: NewRow["data"] | Uint8Array;
}

export interface StoredEvent extends Omit<NewEvent, "row"> {
  readonly hash: string;
  /** The stream that wrote it; for an inherited event, an ancestor. */
  readonly writer: string;
}

/** A patch as it was appended. */
export interface StoredPatch extends Omit<NewPatch, "kind"> {
  /** The stream that wrote it; for an inherited patch, an ancestor. */
  readonly writer: string;
}

export interface StoredHead {
  readonly seq: number;
  readonly head: unknown;
  readonly writer: string;
}

/** `chained` checks the chain of hashes, too. Stores that always check it ignore this. */
export type EventRange = ({ readonly after: number } | { readonly before: number }) & {
  readonly limit: number;
  readonly bytes?: number;
  readonly chained?: boolean;
};

export interface StreamRead {
  readonly ref: StreamRef;
  readonly rows?: readonly RowQuery[];
  readonly events?: readonly EventRange[];
  /** The seqs for which heads are read. */
  readonly heads?: readonly number[];
}
/** One page for each query and each range, and one head for each seq. */
export interface StreamPart {
  readonly stream: StoredStream;
  readonly rows: readonly (readonly StoredPatch[])[];
  readonly events: readonly (readonly StoredEvent[])[];
  readonly heads: readonly (StoredHead | undefined)[];
}

/**
 * The selection of a list: a value for each field that matters, by the kind of the field, and two
 * filters that every store has. `key_prefix` selects streams by the start of their key. `recent`
 * limits the streams with its value to those strictly after its time, and does not limit others.
 */
export type FilterOf<Declared extends ListingDeclaration> = {
  readonly [Name in keyof Declared["fields"]]?: FieldFilters[Declared["fields"][Name]] | undefined;
} & { readonly key_prefix?: string | undefined; readonly recent?: Recent | undefined };

interface FieldFilters {
  /** This text, or one of these. */
  readonly text: string | readonly string[];
  /** True selects streams with a count above 0. */
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

/** The same for fields that are only known at run time. */
export type ListFilter = Readonly<Record<string, FilterValue | undefined>>;
export type FilterValue = FieldFilters[FieldKind] | Recent;

export interface ListQuery {
  readonly kind: StreamKind;
  /** Null means every owner, for maintenance only. */
  readonly owner: string | null;
  readonly filter: ListFilter;
  /**
   * The list has the streams of the first filter first, then those of the next: at most ten, each
   * stream in exactly one.
   */
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
  /** A value of the field that streams are counted by. */
  readonly value: string;
  readonly streams: number;
  /** The sum of the summed field over these streams. */
  readonly sum: number;
}

export interface StoredStream {
  readonly id: string;
  readonly kind: StreamKind;
  readonly owner: string;
  readonly key: string;
  readonly seq: number;
  readonly head: unknown;
  /** Null if it was never held, or was released. */
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
  /** A cursor; null means the end. */
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
export interface EventPlace {
  readonly stream: string;
  readonly seq: number;
}
export interface FoundInFeed extends EventPlace, Pick<FeedEvent, "type" | "at" | "hash" | "owner"> {
  /** The cursor after it. */
  readonly cursor: string;
}
export interface FeedPage {
  readonly events: readonly FeedEvent[];
  readonly cursor: string;
}

export type Outcome =
  | { readonly kind: "committed"; readonly streams: readonly StoredStream[] }
  /** The seq range of the first append of the transaction that used this key. */
  | { readonly kind: "replayed"; readonly id: string; readonly from: number; readonly to: number }
  | { readonly kind: "refused"; readonly refusal: Refusal };
