/** What a stream keeps beside its log and head, so that it can be listed and read in pages. */

/** One line of an index inside a stream. Rows of one `(place, nth)` are patches of one item, merged in order of `seq`. */
export interface NewRow {
  readonly kind: string;
  /** The seq of the event that opened the item. */
  readonly place: number;
  /** Distinguishes items that one event opened. */
  readonly nth: number;
  readonly seq: number;
  /** By which the item is found. A patch's is null or that of the row that opened the item. */
  readonly key: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredRow {
  readonly place: number;
  readonly nth: number;
  readonly key: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RowQuery {
  readonly kind: string;
  readonly key?: string;
  /** As of this seq. */
  readonly at?: number;
  readonly after?: number;
  /** With `before`, the last `limit` items before that place. Items of one place are never split over two pages. */
  readonly before?: number;
  readonly limit?: number;
  /** Bytes of data after which a page ends; it has at least one place. */
  readonly bytes?: number;
}

/** What kinds of listing fields there are: a text, a number of things, or yes (1) and no (0). */
export type ListingKind = "text" | "count" | "flag";

/** The fields that sessions and tasks are listed by. A store knows them from here alone. */
export const LISTING_FIELDS = {
  status: "text",
  phase: "text",
  agent: "text",
  interface: "text",
  project: "text",
  task: "text",
  waiting: "count",
  unsettled: "flag",
  pinned: "flag",
} as const satisfies Readonly<Record<Exclude<keyof Listing, "created" | "activity">, ListingKind>>;

/** What a list can filter and sort by. `activity` may be coarse; the exact time is in the head. */
export interface Listing {
  readonly status: string;
  readonly phase: string;
  readonly agent: string;
  readonly interface: string;
  readonly project: string;
  readonly task: string;
  /** Questions that wait for a person. */
  readonly waiting: number;
  /** 1 while the stream may need a look although nobody does anything with it. */
  readonly unsettled: 0 | 1;
  /** 1 where a person wants it at the top. */
  readonly pinned: 0 | 1;
  readonly created: number;
  readonly activity: number;
}

/** Of a stream that no list shows. */
export const UNLISTED: Listing = {
  status: "",
  phase: "",
  agent: "",
  interface: "",
  project: "",
  task: "",
  waiting: 0,
  unsettled: 0,
  pinned: 0,
  created: 0,
  activity: 0,
};
