import type { StreamKind } from "../../../contract/vocabulary.ts";
import { describeLease, type LeaseClock } from "../../lease-rules.ts";
import type { StoredStream, StreamRef } from "../../stream-store.ts";
import { parseKept, toInteger, type Values } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { damaged, isDamage } from "../database/storage-error.ts";
import {
  readShownRow,
  readStreamRow,
  SHOWN_VALUES,
  type ShownRow,
  STREAM_VALUES,
  type StreamRow,
  sumIn,
} from "../database/stream-row.ts";
import { beginsWithCopies } from "../database/writers.ts";
import type { Condition } from "./list-filter.ts";

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
  find(ref: StreamRef): KnownStream<StreamRow> | undefined {
    const db = this.#db;
    const values =
      "id" in ref
        ? db.getValues(BY_ID, ref.id)
        : db.getValues(BY_KEY, ref.kind, ref.owner, ref.key);
    if (!values) return undefined;
    const sid = toInteger(values[0], "sid", null);
    const known = this.recall(sid, values[1]);
    return expectMeant(known && isWhole(known) ? known : this.#readWhole(sid), ref);
  }

  /** For a read of nothing but the stream. It reads a kept stream whole, because its log is mostly read next. */
  findShown(ref: StreamRef): KnownStream | undefined {
    if ("id" in ref || isKept(ref.kind)) return this.find(ref);
    const values = this.#db.getValues(SHOWN_BY_KEY, ref.kind, ref.owner, ref.key);
    return values && expectMeant(this.learn(values, undefined), ref);
  }

  /**
   * Streams of one kind and owner by their keys, with at most two statements however many they are. Streams that are
   * missing or damaged are left out; `find` says which.
   */
  findByKeys(kind: StreamKind, owner: string, keys: readonly string[]): Map<string, KnownStream> {
    const found = new Map<string, KnownStream>();
    const sums = new Map<number, Values[number] | undefined>();
    const listed = JSON.stringify(keys);
    if (isKept(kind)) {
      for (const [sid, sum] of this.#db.allValues(BY_KEYS, kind, owner, listed)) {
        const known = typeof sid === "number" ? this.recall(sid, sum) : undefined;
        if (known) found.set(known.row.key, known);
        else if (typeof sid === "number") sums.set(sid, sum);
      }
    }
    const rows = isKept(kind)
      ? this.readShown([...sums.keys()])
      : this.#db.allValues(SHOWN_BY_KEYS, kind, owner, listed);
    for (const values of rows) {
      const stream = this.#tryLearn(values, sums.get(Number(values[0])));
      if (stream) found.set(stream.row.key, stream);
    }
    for (const [key, { row }] of found) {
      if (!isMeant(row, { kind, owner, key })) found.delete(key);
    }
    return found;
  }

  /** The columns of `SHOWN_VALUES`, in the order of the sids. Rows that are missing, or do not match, are left out. */
  readShown(sids: readonly number[], conditions: readonly Condition[] = []): Values[] {
    if (sids.length === 0) return [];
    const where = conditions.map(({ sql }) => ` AND ${sql}`).join("");
    const values = conditions.flatMap((condition) => condition.values);
    return this.#db.allValues(`${BY_SIDS}${where}`, JSON.stringify(sids), ...values);
  }

  #tryLearn(values: Values, sum: Values[number] | undefined): KnownStream | undefined {
    try {
      return this.learn(values, sum);
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

  /** `values` are the columns of `SHOWN_VALUES`, and `sum` is the checksum of the whole row. */
  learn(values: Values, sum: Values[number] | undefined): KnownStream | undefined {
    const row = readShownRow(values);
    return row ? this.#remember(new KnownStream(row, sum)) : this.#readWhole(Number(values[0]));
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

  #readWhole(sid: number): KnownStream<StreamRow> | undefined {
    const values = this.#db.getValues(BY_SID, sid);
    return values && this.#remember(new KnownStream(readStreamRow(values), sumIn(values)));
  }

  /** Makes room by dropping the oldest stream that was not recalled since its last turn. */
  #remember<T extends KnownStream>(stream: T): T {
    const { sid, kind } = stream.row;
    if (!isKept(kind)) return stream;
    if (!this.#streams.has(sid)) {
      if (this.#ring.length < LIMIT) this.#ring.push(sid);
      else this.#ring[this.#dropOne()] = sid;
    }
    this.#streams.set(sid, stream);
    return stream;
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

/** A stream that was read and verified. A list reads only what it shows. */
export class KnownStream<Row extends ShownRow = ShownRow> {
  readonly row: Row;
  readonly sum: Values[number] | undefined;
  /** The conditions of the last list that this row was compared with, and matched. */
  matched = "";
  /** True if it was used since the cache last searched for a stream to drop. */
  wasRecalled = false;
  #isShown = false;

  constructor(row: Row, sum: Values[number] | undefined) {
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
const ASKED = "(SELECT value AS asked FROM json_each(?))";
const BY_SIDS = `SELECT ${SHOWN_VALUES} FROM ${ASKED} CROSS JOIN streams NOT INDEXED ON sid = asked WHERE true`;
const SHOWN_BY_KEY = `SELECT ${SHOWN_VALUES} FROM streams WHERE kind = ? AND owner = ? AND key = ?`;
const SHOWN_BY_KEYS = `SELECT ${SHOWN_VALUES} FROM streams
  WHERE kind = ? AND owner = ? AND key IN (SELECT value FROM json_each(?))`;
/** Without a snapshot, another process may purge the stream after its sid was found. Forks then keep its remainder. */
const BY_SID = `SELECT ${STREAM_VALUES} FROM streams WHERE sid = ? AND kind <> 'purged'`;

/** False for entries of a key ring: the ring caches the opened keys, so it reads each entry once. */
function isKept(kind: StreamKind): boolean {
  return kind !== "key";
}

/** Lists read only what they show. */
function isWhole(stream: KnownStream): stream is KnownStream<StreamRow> {
  return "lineage" in stream.row;
}

function expectMeant<T extends KnownStream>(stream: T | undefined, ref: StreamRef): T | undefined {
  if (!stream || isMeant(stream.row, ref)) return stream;
  throw damaged(null, "an index points to the wrong stream");
}

function isMeant({ id, kind, owner, key }: ShownRow, ref: StreamRef): boolean {
  if ("id" in ref) return id === ref.id;
  return kind === ref.kind && owner === ref.owner && key === ref.key;
}
