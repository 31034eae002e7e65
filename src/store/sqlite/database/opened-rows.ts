import type { RowQuery } from "../../../contract/stream.ts";
import { bytesIn } from "../../content.ts";
import { type Inheriting, segmentsWithin } from "../../log/lineage.ts";
import type { Connection } from "./connection.ts";
import { checkEvent, EVENT_VALUES, type EventRow, hashBefore, readEventRow } from "./event-log.ts";
import type { PatchRow } from "./index-rows.ts";
import type { OpenedPlaces } from "./opened-places.ts";
import { ROW_LIMIT } from "./row-limit.ts";
import { damaged } from "./storage-error.ts";
import { idOf } from "./writers.ts";

export interface OpeningStream extends Inheriting {
  readonly id: string;
  readonly opened: OpenedPlaces;
}

/** The last event up to `bound` that opened a row of this kind; 0 if there is none. */
function lastOpened(db: Connection, stream: OpeningStream, kind: string, bound: number): number {
  const last = stream.opened.get(kind) ?? 0;
  if (bound >= last) return last;
  // The first such event after the bound points back to it.
  const [next] = readOpening(db, stream, kind, { from: bound + 1, to: last, limit: 1 });
  if (next?.opened == null || next.opened > bound) throw missingRows(stream.id, kind);
  return next.opened;
}

/** The same for every kind. */
export function openedUpTo(db: Connection, stream: OpeningStream, bound: number): OpenedPlaces {
  const places = [...stream.opened.keys()].map(
    (kind) => [kind, lastOpened(db, stream, kind, bound)] as const,
  );
  return new Map(places.filter(([, seq]) => seq > 0));
}

/** The row that the event at `place` opened; empty if it opened none of this kind. */
export function readOpenedAt(
  db: Connection,
  stream: OpeningStream,
  kind: string,
  place: number,
): PatchRow[] {
  if (!stream.opened.has(kind)) return [];
  const found = readOpening(db, stream, kind, { from: place, to: place, limit: 1 });
  return found.map((event) => toPatch(event, kind));
}

/** The places of the rows that events up to `to` opened with this key. */
export function findOpenedByKey(
  db: Connection,
  stream: OpeningStream,
  kind: string,
  key: string,
  to: number,
): number[] {
  if (!stream.opened.has(kind)) return [];
  return segmentsWithin(stream, 1, to).flatMap((segment) =>
    db
      .allValues(BY_KEY, segment.sid, kind, key, segment.from, segment.to)
      .map(([seq]) => Number(seq)),
  );
}

/**
 * Walks through the rows that events opened themselves. Each such event points to the previous one,
 * so a missing one is detected, and the walk knows its end.
 */
export class OpenedRows {
  readonly #db: Connection;
  readonly #stream: OpeningStream;
  readonly #kind: string;
  readonly #isForwards: boolean;
  /** Rows at or before this place are outside the query. */
  readonly #after: number;
  /** Forwards: the last row of the query. Backwards: the next row. 0 if there is none. */
  #end: number;
  /** The last row that was read. */
  #last: EventRow | undefined;
  #chunk: number;
  #found: PatchRow[] = [];
  #next = 0;

  constructor(db: Connection, stream: OpeningStream, query: RowQuery, to: number) {
    this.#db = db;
    this.#stream = stream;
    this.#kind = query.kind;
    this.#isForwards = query.before === undefined;
    this.#after = Math.max(0, query.after ?? 0);
    const bound = Math.min(to, (query.before ?? Number.POSITIVE_INFINITY) - 1);
    this.#end = lastOpened(db, stream, query.kind, bound);
    this.#chunk = Math.min(FEW, query.limit ?? FEW);
  }

  peek(): PatchRow | undefined {
    if (this.#next === this.#found.length && !this.#isDone) this.#read();
    return this.#found[this.#next];
  }

  /** Removes and returns the rows of one place, if it is next. */
  next(place: number): PatchRow[] {
    const patch = this.peek();
    if (patch?.place !== place) return [];
    this.#next += 1;
    return [patch];
  }

  get #isDone(): boolean {
    return this.#end <= (this.#isForwards ? (this.#last?.seq ?? this.#after) : this.#after);
  }

  #read(): void {
    const from = (this.#isForwards ? (this.#last?.seq ?? this.#after) : this.#after) + 1;
    const limit = this.#chunk;
    const range = { from, to: this.#end, limit, isBackwards: !this.#isForwards };
    const events = readOpening(this.#db, this.#stream, this.#kind, range);
    if (events.length === 0) throw missingRows(this.#stream.id, this.#kind);
    for (const event of events) this.#follow(event);
    this.#found = events.map((event) => toPatch(event, this.#kind));
    this.#next = 0;
    const bytes = this.#found.reduce((sum, { data }) => sum + bytesIn(data), 0);
    const fitting = Math.floor((CHUNK_BYTES * events.length) / Math.max(1, bytes));
    this.#chunk = Math.min(Math.max(1, fitting), 4 * this.#chunk, MOST);
  }

  #follow(event: EventRow): void {
    const { seq, opened } = event;
    if (opened === null) throw missingRows(this.#stream.id, this.#kind);
    const isFirst = !this.#last;
    const follows = isFirst ? opened <= this.#after : opened === this.#last?.seq;
    if (!(this.#isForwards ? follows : seq === this.#end))
      throw missingRows(this.#stream.id, this.#kind);
    this.#last = event;
    if (!this.#isForwards) this.#end = opened;
  }
}

const FEW = 16;
const MOST = 512;
/** The limit for rows that are read at once. */
const CHUNK_BYTES = 1024 * 1024;

interface OpeningRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly isBackwards?: boolean;
}

function readOpening(
  db: Connection,
  stream: OpeningStream,
  kind: string,
  { from, to, limit, isBackwards = false }: OpeningRange,
): EventRow[] {
  const segments = segmentsWithin(stream, from, to);
  if (isBackwards) segments.reverse();
  const found: EventRow[] = [];
  for (const segment of segments) {
    if (found.length >= limit) break;
    const { sid } = segment;
    const writer = sid === stream.sid ? stream.id : idOf(db, sid, stream.id);
    const sql = isBackwards ? BACKWARDS : FORWARDS;
    const rows = db.allValues(sql, sid, kind, segment.from, segment.to, limit - found.length);
    for (const values of rows) {
      const event = readEventRow(values, stream.id);
      checkEvent(event, writer, stream.id, () => hashBefore(db, stream, event.seq));
      found.push(event);
    }
  }
  return found;
}

function toPatch({ seq, row_key, body }: EventRow, kind: string): PatchRow {
  return { kind, place: seq, nth: 0, seq, key: row_key, data: body };
}

export function missingRows(stream: string, kind: string): Error {
  return damaged(stream, `index rows of kind ${kind} are missing`);
}

/**
 * The first condition on `opens` is answered by the index, so that other events are not read. With `opens = ?`, SQLite
 * would drop it.
 */
export const OPENS = "(opens IS NOT NULL) = 1 AND opens IS ?";
const OPENING = `SELECT ${EVENT_VALUES} FROM events INDEXED BY events_by_seq WHERE sid = ? AND ${OPENS} AND seq BETWEEN ? AND ?`;
const FORWARDS = `${OPENING} ORDER BY seq ${ROW_LIMIT}`;
const BACKWARDS = `${OPENING} ORDER BY seq DESC ${ROW_LIMIT}`;
const BY_KEY =
  "SELECT seq FROM events INDEXED BY events_by_row_key WHERE sid = ? AND opens = ? AND row_key = ? AND seq BETWEEN ? AND ?";
