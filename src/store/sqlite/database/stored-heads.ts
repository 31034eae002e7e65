import type { Content } from "../../content.ts";
import { segmentsWithin } from "../../log/lineage.ts";
import type { StoredHead } from "../../stream-store.ts";
import type { KnownStream } from "../read/known-streams.ts";
import {
  contentOf,
  fromHex,
  hexOf,
  parseContent,
  readContent,
  toColumns,
  toInteger,
  type Values,
} from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sumOf } from "./digests.ts";
import { damaged } from "./storage-error.ts";
import type { StreamRow } from "./stream-row.ts";
import { writersOf } from "./writers.ts";

export function loadHeadBefore(
  db: Connection,
  stream: KnownStream<StreamRow>,
  seq: number,
): StoredHead | undefined {
  const { row } = stream;
  if (seq >= row.seq) return { seq: row.seq, head: stream.head, writer: row.id };
  const segments = segmentsWithin(row, 1, seq);
  for (const { sid, from, to } of segments.toReversed()) {
    const values = db.getValues(NEWEST, sid, from, to);
    if (!values) continue;
    const stored = readHeadRow(values, sid, row.id);
    const writer = writersOf(db, row, segments)(stored.seq);
    return { seq: stored.seq, head: parseContent(stored.head, row.id, "head"), writer };
  }
  return undefined;
}

interface HeadRow {
  readonly seq: number;
  readonly head: Content;
}

/** `values` are the columns of `HEAD_VALUES`. */
export function readHeadRow([seq, sum, head]: Values, sid: number, stream: string): HeadRow {
  const stored = { seq: toInteger(seq, "seq", stream), head: readContent(head, "head", stream) };
  if (sumOfHead(sid, stored) === sum) return stored;
  throw damaged(stream, `the head stored at ${stored.seq} was changed after it was written`);
}

export function insertHeadRow(db: Connection, sid: number, stored: HeadRow): void {
  db.run(INSERT, sid, stored.seq, fromHex(sumOfHead(sid, stored)), ...toColumns(stored.head));
}

export const HEAD_VALUES = `seq, ${hexOf("sum")}, ${contentOf("head")}`;

const NEWEST = `SELECT ${HEAD_VALUES} FROM heads WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1`;
const INSERT = "INSERT INTO heads (sid, seq, sum, head, bytes) VALUES (?, ?, ?, ?, ?)";

function sumOfHead(sid: number, { seq, head }: HeadRow): string {
  return sumOf([sid, seq], head);
}
