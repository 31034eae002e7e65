import type { Holder, StoredStream, StreamRef } from "../stream-store.ts";
import { hexOf, toInteger, type Values } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { leaseOf, parseHead, readStreamRow, STREAM_VALUES, type StreamRow } from "./stream-row.ts";

/** A stream that has been read and checked. Its head is parsed, and frozen because it may be shown again. */
export interface KnownStream extends Omit<StreamRow, "head"> {
  readonly sum: string;
  readonly head: unknown;
}

/**
 * Streams that this process has read. While a row still has the same sum, it need not be read, checked and parsed again:
 * if other bytes of it have been altered since, what is shown is what was written.
 */
export class KnownStreams {
  readonly #db: Connection;
  readonly #streams = new Map<number, KnownStream>();

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
    return this.recall(sid, values[1]) ?? this.#readOne(sid);
  }

  recall(sid: number, sum: Values[number] | undefined): KnownStream | undefined {
    const known = this.#streams.get(sid);
    return known?.sum === sum ? known : undefined;
  }

  /** `values` are those of `STREAM_VALUES`. */
  learn(values: Values): KnownStream {
    const row = readStreamRow(values);
    const stream = { ...row, head: freezeDeeply(parseHead(row)) };
    this.#streams.delete(row.sid);
    this.#streams.set(row.sid, stream);
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > LIMIT && oldest !== undefined) this.#streams.delete(oldest);
    return stream;
  }

  #readOne(sid: number): KnownStream | undefined {
    const values = this.#db.getValues(BY_SID, sid);
    return values && this.learn(values);
  }
}

export function showStream(
  stream: KnownStream,
  isAlive: (holder: Holder) => boolean,
): StoredStream {
  const { id, kind, owner, key, seq, head } = stream;
  return { id, kind, owner, key, seq, head, lease: leaseOf(stream, isAlive) };
}

/** Of the usual size, 20 MB of them. */
const LIMIT = 8192;

const BY_ID = `SELECT sid, ${hexOf("sum")} FROM streams WHERE id = ? AND kind <> 'purged'`;
const BY_KEY = `SELECT sid, ${hexOf("sum")} FROM streams WHERE kind = ? AND owner = ? AND key = ?`;
const BY_SID = `SELECT ${STREAM_VALUES} FROM streams WHERE sid = ?`;

function freezeDeeply(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freezeDeeply(member);
  return Object.freeze(value);
}
