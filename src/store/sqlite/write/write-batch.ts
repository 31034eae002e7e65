import type { Listing } from "../../../contract/stream.ts";
import type { ContentLimits } from "../../append-rules.ts";
import type { LeaseClock } from "../../lease-rules.ts";
import type { ListingColumns } from "../../listing-columns.ts";
import type { AnchorRecord } from "../../log/anchor.ts";
import type { StreamRef } from "../../stream-store.ts";
import { StreamWatchers } from "../../stream-watchers.ts";
import type { Connection } from "../database/connection.ts";
import { lastPosition, lastSid } from "../database/positions.ts";
import {
  deleteStreamRow,
  findStreamRow,
  findStreamRowBySid,
  insertStreamRow,
  type StreamRow,
  updateStreamRow,
} from "../database/stream-row.ts";
import { placeOf, type WarmStreams } from "./warm-streams.ts";

export interface BatchOptions {
  readonly clock: LeaseClock;
  readonly columns: ListingColumns;
  readonly limits?: ContentLimits | undefined;
}

/**
 * The shared state of the transactions in one commit: each sees the streams as the previous one
 * left them.
 */
export class WriteBatch {
  readonly db: Connection;
  readonly clock: LeaseClock;
  readonly columns: ListingColumns;
  readonly limits: ContentLimits | undefined;
  readonly #warm: WarmStreams;
  readonly #streams = new Map<string, OpenStream>();
  readonly #ids = new Map<string, string>();
  readonly #records = new Map<string, AnchorRecord>();
  /** The stream that was loaded last. */
  #last: OpenStream | undefined;
  #position: number | undefined;
  #sid: number | undefined;
  /** The size of all bodies so far. */
  bytes = 0;
  isChanged = false;
  /** The changed streams. */
  readonly changed = new Map<string, number>();

  constructor(db: Connection, warm: WarmStreams, { clock, columns, limits }: BatchOptions) {
    this.db = db;
    this.limits = limits;
    this.clock = clock;
    this.columns = columns;
    this.#warm = warm;
    this.#position = warm.position;
    this.#sid = warm.sid;
  }

  load(ref: StreamRef): OpenStream | undefined {
    // Many transactions of a batch change the same stream.
    if (this.#last && isRefTo(ref, this.#last.row)) return this.#last;
    const id = "id" in ref ? ref.id : this.#ids.get(placeOf(ref));
    this.#last = (id === undefined ? undefined : this.#streams.get(id)) ?? this.#find(ref);
    return this.#last;
  }

  #find(ref: StreamRef): OpenStream | undefined {
    const row = this.#warm.find(ref) ?? findStreamRow(this.db, ref);
    return row && this.#open(new OpenStream(row, true));
  }

  loadBySid(sid: number): OpenStream | undefined {
    for (const open of this.#streams.values()) if (open.row.sid === sid) return open;
    const row = findStreamRowBySid(this.db, sid);
    return row && this.#open(new OpenStream(row, true));
  }

  /** Adds a stream that is not stored yet. */
  create(row: StreamRow): OpenStream {
    return this.#open(new OpenStream(row, false));
  }

  /** Replaces or removes the row of a stream. */
  replace(row: StreamRow, next: StreamRow | null): void {
    this.#last = undefined;
    this.#streams.delete(row.id);
    this.#ids.delete(placeOf(row));
    this.#warm.drop(row);
    deleteStreamRow(this.db, row);
    if (next) insertStreamRow(this.db, next);
    this.changed.set(row.id, StreamWatchers.GONE);
    this.isChanged = true;
  }

  /** Reserves this many positions and returns the last. */
  nextPosition(count = 1): number {
    const next = (this.#position ?? lastPosition(this.db)) + count;
    this.#position = next;
    return next;
  }

  nextSid(): number {
    const next = (this.#sid ?? lastSid(this.db)) + 1;
    this.#sid = next;
    return next;
  }

  /**
   * Writes the changed streams: at the end of the batch, and before reads that find them other than
   * by `load`.
   */
  flush(): void {
    for (const stream of this.#streams.values()) {
      if (!stream.isChanged) continue;
      const { id, seq, hash } = stream.row;
      if (seq > stream.storedSeq) this.#records.set(id, { id, seq, hash });
      stream.store(this.db);
      this.changed.set(id, seq);
      this.isChanged = true;
    }
  }

  /** The last event of each flushed stream. */
  get records(): readonly AnchorRecord[] {
    return [...this.#records.values()];
  }

  /** Call after the commit. */
  settle(): void {
    for (const stream of this.#streams.values()) this.#warm.remember(stream.row);
    this.#warm.position = this.#position;
    this.#warm.sid = this.#sid;
  }

  #open(stream: OpenStream): OpenStream {
    this.#streams.set(stream.row.id, stream);
    this.#ids.set(placeOf(stream.row), stream.row.id);
    return stream;
  }
}

function isRefTo(ref: StreamRef, { id, kind, owner, key }: StreamRow): boolean {
  if ("id" in ref) return ref.id === id;
  return ref.key === key && ref.owner === owner && ref.kind === kind;
}

/** A stream that a batch works on. */
export class OpenStream {
  #row: StreamRow;
  #stored: { readonly seq: number; readonly listing: Listing } | undefined;
  #isChanged: boolean;

  constructor(row: StreamRow, isStored: boolean) {
    this.#row = row;
    this.#stored = isStored ? row : undefined;
    this.#isChanged = !isStored;
  }

  get row(): StreamRow {
    return this.#row;
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  get storedSeq(): number {
    return this.#stored?.seq ?? 0;
  }

  replace(row: StreamRow): void {
    this.#row = row;
    this.#isChanged = true;
  }

  store(db: Connection): void {
    if (!this.#stored) insertStreamRow(db, this.#row);
    else updateStreamRow(db, this.#row, this.#stored.listing);
    this.#stored = this.#row;
    this.#isChanged = false;
  }
}
