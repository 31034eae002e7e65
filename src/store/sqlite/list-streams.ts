import type { Holder, ListPage, ListQuery } from "../stream-store.ts";
import { hexOf, toInteger, type Values } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type KnownStream, type KnownStreams, showStream } from "./known-streams.ts";
import { ArmReader, planArms } from "./list-arm.ts";
import {
  isBefore,
  LIST_START,
  type ListPosition,
  readListCursor,
  writeListCursor,
} from "./list-cursor.ts";
import { type Condition, conditionsOf, scopeOf } from "./list-filter.ts";
import { salvageList } from "./salvage-list.ts";
import { damaged as damagedIndex, isDamage } from "./storage-error.ts";
import { STREAM_VALUES } from "./stream-row.ts";

export function listStreams(
  db: Connection,
  known: KnownStreams,
  query: ListQuery,
  isAlive: (holder: Holder) => boolean,
): ListPage {
  const filter = conditionsOf(query.filter);
  const after = query.after === undefined ? LIST_START : readListCursor(query.after);
  try {
    const found = findPositions(db, query, filter, after);
    const page = readPage(db, known, query, filter, found);
    return { ...page, streams: page.streams.map((stream) => showStream(stream, isAlive)) };
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
  known: KnownStreams,
  query: ListQuery,
  filter: readonly Condition[],
  found: readonly ListPosition[],
): Omit<ListPage, "streams"> & { streams: KnownStream[] } {
  const page = found.slice(0, query.limit);
  const conditions = [...scopeOf(query), ...filter];
  const sums = readBySid(db, `sid, ${hexOf("sum")}`, page, conditions);
  const unknown = page.filter(({ sid }) => !known.recall(sid, sums.get(sid)?.[1]));
  const rows =
    unknown.length > 0 ? readBySid(db, STREAM_VALUES, unknown, []) : new Map<number, Values>();

  const streams: KnownStream[] = [];
  const damaged: ListPage["damaged"][number][] = [];
  for (const { sid } of page) {
    const sum = sums.get(sid);
    if (!sum) throw damagedIndex(null, "an index has streams that are not like that");
    const row = rows.get(sid);
    try {
      const stream = row ? known.learn(row) : known.recall(sid, sum[1]);
      if (stream) streams.push(stream);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damaged.push({ id: String(row?.[1]), key: String(row?.[4]) });
    }
  }
  const last = page.at(-1);
  const next = last && found.length > query.limit ? writeListCursor(last) : null;
  return { streams, damaged, next };
}

/** By the rows' own columns: what the indexes say of them may have been altered. */
function readBySid(
  db: Connection,
  columns: string,
  page: readonly ListPosition[],
  conditions: readonly Condition[],
): Map<number, Values> {
  const where = ["sid IN (SELECT value FROM json_each(?))", ...conditions.map(({ sql }) => sql)];
  const rows = db.allValues(
    `SELECT ${columns} FROM streams NOT INDEXED WHERE ${where.join(" AND ")}`,
    JSON.stringify(page.map(({ sid }) => sid)),
    ...conditions.flatMap(({ values }) => values),
  );
  return new Map(rows.map((values) => [toInteger(values[0], "sid", null), values]));
}
