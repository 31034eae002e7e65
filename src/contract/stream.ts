/** The types of the data that a stream has besides its log and head, for lists and pages. */

/**
 * One row of an index inside a stream. Rows with the same `(place, nth)` are patches of one item,
 * merged by `seq`.
 */
export interface NewRow {
  readonly kind: string;
  /** The seq of the event that opened the item. */
  readonly place: number;
  /** Distinguishes items that one event opened. */
  readonly nth: number;
  readonly seq: number;
  /** The key that finds the item. A patch has null, or the key of the row that opened the item. */
  readonly key: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface StoredRow {
  readonly place: number;
  readonly nth: number;
  /** The seq of the newest event that changed it. */
  readonly seq: number;
  readonly key: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RowQuery {
  readonly kind: string;
  readonly key?: string;
  /** Reads the state as of this seq. */
  readonly at?: number;
  readonly after?: number;
  /**
   * With `before`, the last `limit` items before that place. Items at one place are never split
   * over two pages.
   */
  readonly before?: number;
  readonly limit?: number;
  /** A page ends after this many bytes of data. It has at least one place. */
  readonly bytes?: number;
}

/** A text, a count, a flag (1 or 0), or a time in milliseconds. */
export type FieldKind = "text" | "count" | "flag" | "time";

/**
 * The fields that streams are listed by. A store gets this declaration when it is opened, and knows
 * no other fields.
 */
export interface ListingDeclaration {
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** The time that lists are sorted by, newest first. */
  readonly order: string;
  /** Streams are counted by the first field; the second is summed. */
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

/** The fields that sessions, tasks and Belay's own streams are listed by. */
export const SESSION_LISTING = {
  fields: {
    status: "text",
    phase: "text",
    agent: "text",
    interface: "text",
    project: "text",
    task: "text",
    /** The number of open questions to a person. */
    waiting: "count",
    /** 1 while a sweep must check the stream although no process works on it. */
    unsettled: "flag",
    /** 1 if a person pinned it to the top. */
    pinned: "flag",
    created: "time",
    /** Can be rounded; the exact time is in the head. */
    activity: "time",
  },
  order: "activity",
  tally: { by: "status", sum: "waiting" },
} as const satisfies ListingDeclaration;

export type Listing = ListingOf<typeof SESSION_LISTING>;

/** The listing of a stream that no list shows. */
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
