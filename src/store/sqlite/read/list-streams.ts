import type { LeaseClock } from "../../lease-rules.ts";
import type { ListPage, ListQuery } from "../../stream-store.ts";
import type { Connection } from "../database/connection.ts";
import { damaged as damagedIndex, isDamage } from "../database/storage-error.ts";
import type { KnownStream, KnownStreams } from "./known-streams.ts";
import { ArmReader, type FoundStream, planArms } from "./list-arm.ts";
import {
  isBefore,
  LIST_START,
  type ListPosition,
  readListCursor,
  writeListCursor,
} from "./list-cursor.ts";
import { type Condition, conditionsOf, scopeOf } from "./list-filter.ts";
import { salvageList } from "./salvage-list.ts";

/** `query.filter` names columns and was checked. */
export function listStreams(
  db: Connection,
  known: KnownStreams,
  query: ListQuery,
  clock: LeaseClock,
): ListPage {
  const filter = conditionsOf(query.filter);
  const conditions = [...scopeOf(query), ...filter];
  const after = query.after === undefined ? LIST_START : readListCursor(query.after);
  try {
    const page = readPage(known, findStreams(db, query, filter, after), query, conditions);
    return { ...page, streams: page.streams.map((stream) => stream.show(clock)) };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return salvageList(db, query, conditions, after, clock);
  }
}

/** Up to one stream more than the page holds. */
function findStreams(
  db: Connection,
  query: ListQuery,
  filter: readonly Condition[],
  after: ListPosition,
): FoundStream[] {
  const wanted = query.limit + 1;
  const arms = planArms(db, query, filter);
  const chunk = arms.length === 1 ? wanted : Math.ceil((2 * wanted) / arms.length) + 1;
  const readers = arms.map((arm) => new ArmReader(db, arm, filter, after, chunk));
  const [only] = readers;
  if (only && readers.length === 1) return only.readChunk();

  const found: FoundStream[] = [];
  while (found.length < wanted) {
    let first: ArmReader | undefined;
    let next: FoundStream | undefined;
    for (const reader of readers) {
      const offered = reader.peek();
      if (!offered || (next && isBefore(next, offered))) continue;
      first = reader;
      next = offered;
    }
    if (!first || !next) break;
    found.push(next);
    first.advance();
  }
  return found;
}

/**
 * Compares each row with the conditions, unless it matched them before and has not changed since: an index that points to
 * other rows is damaged.
 */
function readPage(
  known: KnownStreams,
  found: readonly FoundStream[],
  { limit }: ListQuery,
  conditions: readonly Condition[],
): Omit<ListPage, "streams"> & { streams: KnownStream[] } {
  const page = found.slice(0, limit);
  const filter = describeConditions(conditions);
  const recalled = page.map(({ sid, sum }) => known.recall(sid, sum));
  const unchecked = page.filter((_, n) => recalled[n]?.matched !== filter);
  const rows = known.readShown(
    unchecked.map(({ sid }) => sid),
    conditions,
  );
  if (rows.length !== unchecked.length || rows.some(([sid], n) => sid !== unchecked[n]?.sid)) {
    throw damagedIndex(null, "an index points to streams that do not match");
  }
  const streams: KnownStream[] = [];
  const damaged: ListPage["damaged"][number][] = [];
  let read = 0;
  for (const [n, position] of page.entries()) {
    const row = position === unchecked[read] ? rows[read] : undefined;
    if (row) read += 1;
    try {
      const stream = recalled[n] ?? (row && known.learn(row, position.sum));
      if (!stream) continue;
      stream.matched = filter;
      streams.push(stream);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damaged.push({ id: String(row?.[1]), key: String(row?.[4]) });
    }
  }
  const last = page.at(-1);
  const next = last && found.length > limit ? writeListCursor(last) : null;
  return { streams, damaged, next };
}

function describeConditions(conditions: readonly Condition[]): string {
  return JSON.stringify(conditions.map(({ sql, values }) => [sql, ...values]));
}
