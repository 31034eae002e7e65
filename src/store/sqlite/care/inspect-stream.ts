import { BelayError } from "../../../contract/errors.ts";
import type { Finding } from "../../store-care.ts";
import { textIn, type Values } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { PATCH_VALUES, readPatchRow } from "../database/index-rows.ts";
import { NAME_VALUES, readNameRow } from "../database/named-places.ts";
import { messageOf } from "../database/storage-error.ts";
import { HEAD_VALUES, readHeadRow } from "../database/stored-heads.ts";
import {
  readShownRow,
  readStreamRow,
  SHOWN_VALUES,
  STREAM_VALUES,
  type StreamRow,
} from "../database/stream-row.ts";
import { inspectLog } from "./inspect-log.ts";

/** Checks all rows of one stream: its own row, events, index rows, heads and names. */
export function inspectStream(
  db: Connection,
  sid: number,
  findings: Finding[],
): StreamRow | undefined {
  let row: Values | undefined;
  let stream: StreamRow;
  try {
    row = db.getValues(STREAM, sid);
    if (!row) return undefined;
    stream = readStreamRow(row);
    readShownRow(db.getValues(SHOWN, sid) ?? []);
  } catch (error) {
    const id = typeof row?.[1] === "string" ? row[1] : idFromIndex(db, sid);
    findings.push(foundDamage(id, null, whatOf(error, `stream number ${sid}`)));
    return undefined;
  }
  findings.push(...inspectLog(db, stream));
  for (const index of indexes) findings.push(...inspectIndex(db, stream, index));
  return stream;
}

export function foundDamage(stream: string | null, seq: number | null, what: string): Finding {
  return { kind: "damage", stream, seq, what };
}

export function whatOf(error: unknown, what: string): string {
  if (error instanceof BelayError && typeof error.details.what === "string") {
    return error.details.what;
  }
  return `${what} cannot be read: ${messageOf(error)}`;
}

interface Index {
  readonly what: string;
  readonly sql: string;
  /** The seq of the row. Throws if the row was altered. */
  readonly check: (row: Values, stream: StreamRow) => number;
}

const indexes: readonly Index[] = [
  {
    what: "index rows",
    sql: `SELECT ${PATCH_VALUES} FROM rows WHERE sid = ? ORDER BY kind, place, nth, seq`,
    check: (row, { sid, id }) => readPatchRow(row, sid, id).seq,
  },
  {
    what: "stored heads",
    sql: `SELECT ${HEAD_VALUES} FROM heads WHERE sid = ? ORDER BY seq`,
    check: (row, { sid, id }) => readHeadRow(row, sid, id).seq,
  },
  {
    what: "names",
    sql: `SELECT ${NAME_VALUES} FROM names WHERE sid = ? ORDER BY name`,
    check: (row) => readNameRow(row).seq,
  },
];

function* inspectIndex(db: Connection, stream: StreamRow, index: Index): Generator<Finding> {
  const { id, sid } = stream;
  const { what, sql, check } = index;
  for (let skip = 0; ; skip += PAGE) {
    let rows: Values[];
    try {
      // Pages by offset and not by key, because damaged keys could make the walk loop.
      rows = db.allValues(`${sql} LIMIT ${PAGE} OFFSET ?`, sid, skip);
    } catch (error) {
      yield foundDamage(id, null, whatOf(error, what));
      return;
    }
    for (const row of rows) {
      try {
        const seq = check(row, stream);
        if (seq > stream.seq) yield foundDamage(id, seq, `there are ${what} beyond its head`);
      } catch (error) {
        yield foundDamage(id, null, whatOf(error, what));
      }
    }
    if (rows.length < PAGE) return;
  }
}

const PAGE = 2048;
const STREAM = `SELECT ${STREAM_VALUES} FROM streams WHERE sid = ?`;
const SHOWN = `SELECT ${SHOWN_VALUES} FROM streams WHERE sid = ?`;
const ID = "SELECT id FROM streams INDEXED BY streams_by_id WHERE id >= '' AND sid = ?";

function idFromIndex(db: Connection, sid: number): string | null {
  try {
    const row = db.get(ID, sid);
    return row ? textIn(row, "id", null) : null;
  } catch {
    return null;
  }
}
