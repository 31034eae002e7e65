import type { StreamKind } from "../../../contract/vocabulary.ts";
import { describeLease, type LeaseClock } from "../../lease-rules.ts";
import type { StoredStream, StreamRef } from "../../stream-store.ts";
import { parseKept, toInteger, type Values } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { damaged, isDamage } from "../database/storage-error.ts";
import { readStreamRow, STREAM_VALUES, type StreamRow, sumIn } from "../database/stream-row.ts";
import { beginsWithCopies } from "../database/writers.ts";

/**
 * Streams that this process has read. While a row has the same checksum, it is not read, verified
 * and parsed again. If other bytes of it were altered since, the cached row still shows what was
 * written.
 */
export class KnownStreams {
  readonly #db: Connection;
  readonly #streams = new Map<number, KnownStream>();
  /** The cached sids in a ring. A map finds its oldest key slowly once keys were deleted. */
  readonly #ring: number[] = [];
  #oldest = 0;
  readonly #copies = new Map<number, boolean>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** The remainder of a purged stream is only found by its sid. */
  find(ref: StreamRef): KnownStream | undefined {
    const db = this.#db;
    const values =
      "id" in ref
        ? db.getValues(BY_ID, ref.id)
        : db.getValues(BY_KEY, ref.kind, ref.owner, ref.key);
    if (!values) return undefined;
    const sid = toInteger(values[0], "sid", null);
    const stream = this.recall(sid, values[1]) ?? this.#readOne(sid);
    if (stream && !isMeant(stream.row, ref)) {
      throw damaged(null, "an index points to the wrong stream");
    }
    return stream;
  }

  /**
   * Streams of one kind and owner by their keys, with at most two statements however many they are. Streams that are
   * missing or damaged are left out; `find` says which.
   */
  findByKeys(kind: StreamKind, owner: string, keys: readonly string[]): Map<string, KnownStream> {
    const found = new Map<string, KnownStream>();
    const listed = JSON.stringify(keys);
    const rows = isKept(kind)
      ? this.#unknownRows(kind, owner, listed, found)
      : this.#db.allValues(ROWS_BY_KEYS, kind, owner, listed);
    for (const values of rows) {
      const stream = this.#tryLearn(values);
      if (stream) found.set(stream.row.key, stream);
    }
    for (const [key, { row }] of found) {
      if (!isMeant(row, { kind, owner, key })) found.delete(key);
    }
    return found;
  }

  /** Adds those that are known to `found`, and returns the rows of the others. */
  #unknownRows(
    kind: StreamKind,
    owner: string,
    keys: string,
    found: Map<string, KnownStream>,
  ): Iterable<Values> {
    const unknown: number[] = [];
    for (const [sid, sum] of this.#db.allValues(BY_KEYS, kind, owner, keys)) {
      const known = typeof sid === "number" ? this.recall(sid, sum) : undefined;
      if (known) found.set(known.row.key, known);
      else if (typeof sid === "number") unknown.push(sid);
    }
    return this.readRows(unknown).values();
  }

  /** The columns of `STREAM_VALUES`, by sid. */
  readRows(sids: readonly number[]): ReadonlyMap<number, Values> {
    if (sids.length === 0) return NO_ROWS;
    const rows = this.#db.allValues(BY_SIDS, JSON.stringify(sids));
    return new Map(rows.map((values) => [toInteger(values[0], "sid", null), values]));
  }

  #tryLearn(values: Values): KnownStream | undefined {
    try {
      return this.learn(values);
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  }

  recall(sid: number, sum: Values[number] | undefined): KnownStream | undefined {
    const known = this.#streams.get(sid);
    if (!known || known.sum !== sum) return undefined;
    known.wasRecalled = true;
    return known;
  }

  /** `values` are the columns of `STREAM_VALUES`. */
  learn(values: Values): KnownStream {
    const stream = new KnownStream(readStreamRow(values), sumIn(values));
    if (isKept(stream.row.kind)) this.#remember(stream);
    return stream;
  }

  /** Never changes for a committed stream, so it is cached. */
  hasCopies(sid: number): boolean {
    const known = this.#copies.get(sid);
    if (known !== undefined) return known;
    if (this.#copies.size >= LIMIT) this.#copies.clear();
    const found = beginsWithCopies(this.#db, sid);
    this.#copies.set(sid, found);
    return found;
  }

  #readOne(sid: number): KnownStream | undefined {
    const values = this.#db.getValues(BY_SID, sid);
    return values && this.learn(values);
  }

  /** Makes room by dropping the oldest stream that was not recalled since its last turn. */
  #remember(stream: KnownStream): void {
    const { sid } = stream.row;
    if (!this.#streams.has(sid)) {
      if (this.#ring.length < LIMIT) this.#ring.push(sid);
      else this.#ring[this.#dropOne()] = sid;
    }
    this.#streams.set(sid, stream);
  }

  #dropOne(): number {
    for (;;) {
      const at = this.#oldest;
      this.#oldest = (at + 1) % LIMIT;
      const sid = this.#ring[at] ?? 0;
      const known = this.#streams.get(sid);
      if (known?.wasRecalled) {
        known.wasRecalled = false;
        continue;
      }
      this.#streams.delete(sid);
      return at;
    }
  }
}

/** A stream that was read and verified. */
export class KnownStream {
  readonly row: StreamRow;
  readonly sum: Values[number] | undefined;
  /** Whether it was used since the cache last looked for a stream to drop. */
  wasRecalled = false;
  #isShown = false;

  constructor(row: StreamRow, sum: Values[number] | undefined) {
    this.row = row;
    this.sum = sum;
  }

  /** Most heads are shown once. From the second time on the frozen value is shared. */
  get head(): unknown {
    if (this.#isShown) return this.row.head.value;
    this.#isShown = true;
    return parseKept(this.row.head.content, this.row.id, "head");
  }

  show(clock: LeaseClock): StoredStream {
    const { id, kind, owner, key, seq } = this.row;
    return { id, kind, owner, key, seq, head: this.head, lease: describeLease(this.row, clock) };
  }
}

/** About 30 MB of typical streams. */
const LIMIT = 8192;

const BY_ID = "SELECT sid, hex(sum) FROM streams WHERE id = ? AND kind <> 'purged'";
const BY_KEY = "SELECT sid, hex(sum) FROM streams WHERE kind = ? AND owner = ? AND key = ?";
const BY_KEYS =
  "SELECT sid, hex(sum) FROM streams WHERE kind = ? AND owner = ? AND key IN (SELECT value FROM json_each(?))";
const BY_SIDS = `SELECT ${STREAM_VALUES} FROM streams WHERE sid IN (SELECT value FROM json_each(?))`;
/** From the table: SQLite would take the columns that an index has from the index. */
const ROWS_BY_KEYS = `SELECT ${STREAM_VALUES} FROM (SELECT sid AS found_sid FROM streams
  WHERE kind = ? AND owner = ? AND key IN (SELECT value FROM json_each(?))) JOIN streams ON sid = found_sid`;
const NO_ROWS: ReadonlyMap<number, Values> = new Map();
const BY_SID = `SELECT ${STREAM_VALUES} FROM streams WHERE sid = ?`;

/** False for entries of a key ring: the ring caches the opened keys, so it reads each entry once. */
function isKept(kind: StreamKind): boolean {
  return kind !== "key";
}

function isMeant({ id, kind, owner, key }: StreamRow, ref: StreamRef): boolean {
  if ("id" in ref) return id === ref.id;
  return kind === ref.kind && owner === ref.owner && key === ref.key;
}
