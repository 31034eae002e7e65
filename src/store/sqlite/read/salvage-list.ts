import type { LeaseClock } from "../../lease-rules.ts";
import type { ListPage, ListQuery } from "../../stream-store.ts";
import { integerIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { lastSid } from "../database/positions.ts";
import { isDamage } from "../database/storage-error.ts";
import {
  readStreamRow,
  STREAM_VALUES,
  type StreamRow,
  toStoredStream,
} from "../database/stream-row.ts";
import { isBefore, LIST_START, type ListPosition, writeListCursor } from "./list-cursor.ts";
import { type Condition, scopeOf } from "./list-filter.ts";

/**
 * The same list without the indexes, one stream at a time. A damaged page of the file then hides
 * only its own streams.
 */
export function salvageList(
  db: Connection,
  query: ListQuery,
  conditions: readonly Condition[],
  after: ListPosition,
  clock: LeaseClock,
): ListPage {
  const { readable, unreadable } = readOneByOne(db, conditions);

  const rest = readable.filter((position) => isBefore(after, position));
  rest.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  return {
    streams: page.flatMap(({ sid }) => {
      const row = readOne(db, sid, []);
      return row ? toStoredStream(row, clock) : [];
    }),
    // Their position is unknown, so they all come first.
    damaged: after === LIST_START ? nameUnreadable(db, scopeOf(query), unreadable) : [],
    next: last && rest.length > page.length ? writeListCursor(last) : null,
  };
}

function readOneByOne(db: Connection, conditions: readonly Condition[]) {
  const readable: ListPosition[] = [];
  const unreadable = new Set<number>();
  const last = lastSid(db);
  for (let sid = 1; sid <= last; sid += 1) {
    try {
      const row = readOne(db, sid, conditions);
      if (row) readable.push({ activity: row.listing.activity, sid });
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable.add(sid);
    }
  }
  return { readable, unreadable };
}

function readOne(
  db: Connection,
  sid: number,
  conditions: readonly Condition[],
): StreamRow | undefined {
  const where = ["sid = ?", ...conditions.map(({ sql }) => sql)].join(" AND ");
  const values = conditions.flatMap((condition) => condition.values);
  const row = db.getValues(
    `SELECT ${STREAM_VALUES} FROM streams NOT INDEXED WHERE ${where}`,
    sid,
    ...values,
  );
  return row && readStreamRow(row);
}

/** Finds the names of streams in the indexes if their own row is unreadable. */
function nameUnreadable(
  db: Connection,
  scope: readonly Condition[],
  unreadable: ReadonlySet<number>,
): ListPage["damaged"][number][] {
  const keys = readIndex(db, "key", "streams_by_key", scope, unreadable);
  const ids = readIndex(db, "id", "streams_by_id", [], unreadable);
  const sids = keys ? keys.keys() : unreadable;
  return [...sids].map((sid) => ({ id: ids?.get(sid) ?? "", key: keys?.get(sid) ?? "" }));
}

function readIndex(
  db: Connection,
  column: string,
  index: string,
  scope: readonly Condition[],
  wanted: ReadonlySet<number>,
): Map<number, string> | undefined {
  const where = scope.length > 0 ? `WHERE ${scope.map(({ sql }) => sql).join(" AND ")}` : "";
  const values = scope.flatMap((condition) => condition.values);
  const sql = `SELECT sid, ${column} AS text FROM streams INDEXED BY ${index} ${where} ORDER BY ${column}`;
  try {
    const rows = db.all(sql, ...values).map((row) => {
      return [integerIn(row, "sid", null), String(row.text)] as const;
    });
    return new Map(rows.filter(([sid]) => wanted.has(sid)));
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
