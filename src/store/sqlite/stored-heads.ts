import { fromHex, hexIn, integerIn, parseJson, type Row, textIn } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sumOf } from "./digests.ts";
import { segmentsWithin } from "./lineage.ts";
import { damaged } from "./storage-error.ts";
import { parseHead, type StreamRow } from "./stream-row.ts";

/** A head is kept whenever a transaction passes a multiple of this. */
const EVERY = 64;

export function isHeadDue(before: number, after: number): boolean {
  return Math.floor(before / EVERY) < Math.floor(after / EVERY);
}

export function loadHeadBefore(
  db: Connection,
  stream: StreamRow,
  seq: number,
): { seq: number; head: unknown } | undefined {
  if (seq >= stream.seq) return { seq: stream.seq, head: parseHead(stream) };
  for (const { sid, from, to } of segmentsWithin(stream, 1, seq).reverse()) {
    const row = db.get(NEWEST, sid, from, to);
    if (!row) continue;
    const stored = readHeadRow(row, sid, stream.id);
    return { seq: stored.seq, head: parseJson(stored.head, stream.id, "head") };
  }
  return undefined;
}

export interface HeadRow {
  readonly seq: number;
  readonly head: string;
}

export function readHeadRow(row: Row, sid: number, stream: string): HeadRow {
  const stored = { seq: integerIn(row, "seq", stream), head: textIn(row, "head", stream) };
  if (sumOfHead(sid, stored) === hexIn(row, "sum", stream)) return stored;
  throw damaged(stream, `the head stored at ${stored.seq} is not as it was written`);
}

export function insertHeadRow(db: Connection, sid: number, stored: HeadRow): void {
  db.run(INSERT, sid, stored.seq, fromHex(sumOfHead(sid, stored)), stored.head);
}

export const HEAD_COLUMNS = "seq, sum, head";

const NEWEST = `SELECT ${HEAD_COLUMNS} FROM heads WHERE sid = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1`;
const INSERT = `INSERT INTO heads (sid, ${HEAD_COLUMNS}) VALUES (?, ?, ?, ?)`;

function sumOfHead(sid: number, { seq, head }: HeadRow): string {
  return sumOf([sid, seq], head);
}
