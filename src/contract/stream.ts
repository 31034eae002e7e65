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

/** A text, a number of things, yes (1) or no (0), or a time in milliseconds. */
export type FieldKind = "text" | "count" | "flag" | "time";

/** The fields that streams are listed by. A store is opened with a declaration, and knows its fields from there alone. */
export interface ListingDeclaration {
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** The time that lists are sorted by, newest first. */
  readonly order: string;
  /** Streams are counted by this text; this count is summed. */
  readonly tally: { readonly by: string; readonly sum: string };
}

/** A value for each field of a declaration. */
export type ListingOf<Declared extends ListingDeclaration> = {
  readonly [Name in keyof Declared["fields"]]: FieldValues[Declared["fields"][Name]];
};

interface FieldValues {
  readonly text: string;
  readonly count: number;
  readonly flag: 0 | 1;
  readonly time: number;
}

/** What sessions, tasks and Belay's own streams are listed by. */
export const SESSION_LISTING = {
  fields: {
    status: "text",
    phase: "text",
    agent: "text",
    interface: "text",
    project: "text",
    task: "text",
    /** Questions that wait for a person. */
    waiting: "count",
    /** 1 while the stream may need a look although nobody works on it. */
    unsettled: "flag",
    /** 1 where a person wants it at the top. */
    pinned: "flag",
    created: "time",
    /** May be coarse; the exact time is in the head. */
    activity: "time",
  },
  order: "activity",
  tally: { by: "status", sum: "waiting" },
} as const satisfies ListingDeclaration;

export type Listing = ListingOf<typeof SESSION_LISTING>;

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
