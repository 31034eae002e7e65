import type { Holder, ListPage, ListQuery } from "../stream-store.ts";
import { integerIn, type Row } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { ArmReader, planArms } from "./list-arm.ts";
import {
  isBefore,
  LIST_START,
  type ListPosition,
  readListCursor,
  writeListCursor,
} from "./list-cursor.ts";
import { type Condition, conditionsOf } from "./list-filter.ts";
import { salvageList } from "./salvage-list.ts";
import { isDamage } from "./storage-error.ts";
import { readStreamRow, STREAM_COLUMNS, toStoredStream } from "./stream-row.ts";

export function listStreams(
  db: Connection,
  query: ListQuery,
  isAlive: (holder: Holder) => boolean,
): ListPage {
  const filter = conditionsOf(query.filter);
  const after = query.after === undefined ? LIST_START : readListCursor(query.after);
  try {
    return readPage(db, findPositions(db, query, filter, after), query.limit, isAlive);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return salvageList(db, query, filter, after, isAlive);
  }
}

/** As many as the page holds and one more, if there is one. */
function findPositions(
  db: Connection,
  query: ListQuery,
  filter: readonly Condition[],
  after: ListPosition,
): ListPosition[] {
  const wanted = query.limit + 1;
  const arms = planArms(db, query, filter);
  const chunk = arms.length === 1 ? wanted : Math.ceil((2 * wanted) / arms.length) + 1;
  const readers = arms.map((arm) => new ArmReader(db, arm, filter, after, chunk));

  const found: ListPosition[] = [];
  while (found.length < wanted) {
    let first: ArmReader | undefined;
    let position: ListPosition | undefined;
    for (const reader of readers) {
      const next = reader.peek();
      if (!next || (position && isBefore(position, next))) continue;
      first = reader;
      position = next;
    }
    if (!first || !position) break;
    found.push(position);
    first.take();
  }
  return found;
}

function readPage(
  db: Connection,
  found: readonly ListPosition[],
  limit: number,
  isAlive: (holder: Holder) => boolean,
): ListPage {
  const page = found.slice(0, limit);
  const rows = new Map<number, Row>();
  for (const row of db.all(BY_SIDS, JSON.stringify(page.map(({ sid }) => sid)))) {
    rows.set(integerIn(row, "sid", null), row);
  }
  const streams: ListPage["streams"][number][] = [];
  const damaged: ListPage["damaged"][number][] = [];
  for (const { sid } of page) {
    const row = rows.get(sid);
    try {
      if (row) streams.push(toStoredStream(readStreamRow(row), isAlive));
    } catch (error) {
      if (!row || !isDamage(error)) throw error;
      damaged.push({ id: String(row.id), key: String(row.key) });
    }
  }
  const last = page.at(-1);
  const next = last && found.length > limit ? writeListCursor(last) : null;
  return { streams, damaged, next };
}

const BY_SIDS = `SELECT ${STREAM_COLUMNS} FROM streams WHERE sid IN (SELECT value FROM json_each(?))`;
