import { describeLease, type LeaseClock } from "../../lease-rules.ts";
import type { StoredStream, StreamRef } from "../../stream-store.ts";
import { hexOf, parseContent, toInteger, type Values } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { damaged } from "../database/storage-error.ts";
import { type CheckedRow, readStreamRow, STREAM_VALUES } from "../database/stream-row.ts";
import { beginsWithCopies } from "../database/writers.ts";

/**
 * Streams that this process has read. While a row still has the same sum, it need not be read, checked and parsed again:
 * if other bytes of it have been altered since, what is shown is what was written.
 */
export class KnownStreams {
  readonly #db: Connection;
  readonly #streams = new Map<number, KnownStream>();
  readonly #copies = new Map<number, boolean>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** What forks keep of a purged stream is found by its sid only. */
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
      throw damaged(null, "an index leads from one stream to another");
    }
    return stream;
  }

  recall(sid: number, sum: Values[number] | undefined): KnownStream | undefined {
    const known = this.#streams.get(sid);
    return known?.row.sum === sum ? known : undefined;
  }

  /** `values` are those of `STREAM_VALUES`. */
  learn(values: Values): KnownStream {
    const stream = new KnownStream(readStreamRow(values));
    this.#streams.set(stream.row.sid, stream);
    if (this.#streams.size > LIMIT) this.#forgetOldest();
    return stream;
  }

  /** Of a stream that has been committed: it never changes. */
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

  #forgetOldest(): void {
    for (const sid of this.#streams.keys()) {
      this.#streams.delete(sid);
      return;
    }
  }
}

/** A stream that has been read and checked. */
export class KnownStream {
  readonly row: CheckedRow;
  #isShown = false;
  #frozen: { readonly head: unknown } | undefined;

  constructor(row: CheckedRow) {
    this.row = row;
  }

  /** Most are shown once. From the second time on it is the same, which nobody can alter. */
  get head(): unknown {
    if (this.#frozen) return this.#frozen.head;
    const head = parseContent(this.row.head, this.row.id, "head");
    if (this.#isShown && typeof this.row.head === "string")
      this.#frozen = { head: freezeDeeply(head) };
    this.#isShown = true;
    return head;
  }

  show(clock: LeaseClock): StoredStream {
    const { id, kind, owner, key, seq } = this.row;
    return { id, kind, owner, key, seq, head: this.head, lease: describeLease(this.row, clock) };
  }
}

/** Of the usual size, some 30 MB of them. */
const LIMIT = 8192;

const BY_ID = `SELECT sid, ${hexOf("sum")} FROM streams WHERE id = ? AND kind <> 'purged'`;
const BY_KEY = `SELECT sid, ${hexOf("sum")} FROM streams WHERE kind = ? AND owner = ? AND key = ?`;
const BY_SID = `SELECT ${STREAM_VALUES} FROM streams WHERE sid = ?`;

function isMeant({ id, kind, owner, key }: CheckedRow, ref: StreamRef): boolean {
  if ("id" in ref) return id === ref.id;
  return kind === ref.kind && owner === ref.owner && key === ref.key;
}

function freezeDeeply(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freezeDeeply(member);
  return Object.freeze(value);
}
