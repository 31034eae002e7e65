import { readPosition } from "../../page-rules.ts";
import type { NamedPlace, NamePage } from "../../stream-store.ts";
import { fromHex, hexOf, toInteger, toText, type Values } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { sumOf } from "./digests.ts";
import { ROW_LIMIT } from "./row-limit.ts";
import { damaged } from "./storage-error.ts";
import { findStreamRowBySid } from "./stream-row.ts";

export function findByName(
  db: Connection,
  owner: string,
  name: string,
  page: NamePage,
): NamedPlace[] {
  const after = readPosition(page.after ?? "");
  return db.allValues(FIND, owner, name, after, page.limit).map((values) => {
    const place = readNameRow(values);
    const stream = findStreamRowBySid(db, place.sid);
    if (!stream) throw damaged(null, `the name ${name} was put down by a stream that is missing`);
    return { id: stream.id, seq: place.seq, cursor: `${place.pos}` };
  });
}

/** One row of `names`: the stream's first use of a name, and the position of its event. */
interface NameRow {
  readonly owner: string;
  readonly name: string;
  readonly pos: number;
  readonly sid: number;
  readonly seq: number;
}

/** `values` are the columns of `NAME_VALUES`. */
export function readNameRow([owner, name, pos, sid, seq, sum]: Values): NameRow {
  const place = {
    owner: toText(owner, "owner", null),
    name: toText(name, "name", null),
    pos: toInteger(pos, "pos", null),
    sid: toInteger(sid, "sid", null),
    seq: toInteger(seq, "seq", null),
  };
  if (sumOfName(place) === sum) return place;
  throw damaged(null, `the entry of the name ${place.name} was changed after it was written`);
}

export function insertNameRow(db: Connection, place: NameRow): void {
  const { owner, name, pos, sid, seq } = place;
  db.run(INSERT, owner, name, pos, sid, seq, fromHex(sumOfName(place)));
}

export const NAME_VALUES = `owner, name, pos, sid, seq, ${hexOf("sum")}`;

const FIND = `SELECT ${NAME_VALUES} FROM names WHERE owner = ? AND name = ? AND pos > ? ORDER BY pos ${ROW_LIMIT}`;
const INSERT = `INSERT INTO names (owner, name, pos, sid, seq, sum) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (sid, name) DO NOTHING`;

function sumOfName({ owner, name, pos, sid, seq }: NameRow): string {
  return sumOf([owner, name, pos, sid, seq], "");
}
