import { SESSION_LISTING } from "../../../contract/stream.ts";
import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { LeaseClock } from "../../lease-rules.ts";
import { filterNames } from "../../list-rules.ts";
import { invalidCursor } from "../../page-rules.ts";
import type { FilterValue, ListPage, ListQuery, Tally } from "../../stream-store.ts";
import type { Database } from "../database/database.ts";
import { isDamage } from "../database/postgres-error.ts";
import { isStorable } from "../database/storable-text.ts";
import {
  readStreamRow,
  STREAM_COLUMNS,
  type StreamColumns,
  toStoredStream,
} from "../database/stream-row.ts";

interface ListColumns extends StreamColumns {
  readonly activity: number;
}

/** One page of a query by columns with a checked filter: newest first, then the youngest stream first. */
export async function listStreams(
  database: Database,
  query: ListQuery,
  clock: (now: number | undefined) => LeaseClock,
): Promise<ListPage> {
  const { limit, after } = query;
  const sql = new ListSql(query);
  const last = after === undefined ? undefined : readListCursor(after);
  if (last)
    sql.where(`(b.activity, b.sid) < (${sql.value(last.activity)}, ${sql.value(last.sid)})`);
  if (sql.isImpossible) return { streams: [], damaged: [], next: null };
  const found = await database.query<ListColumns>(sql.write(limit + 1), sql.values);

  const page = found.slice(0, limit);
  const streams: ListPage["streams"][number][] = [];
  const damaged: ListPage["damaged"][number][] = [];
  for (const columns of page) {
    try {
      streams.push(toStoredStream(readStreamRow(columns), clock(columns.now)));
    } catch (error) {
      if (!isDamage(error)) throw error;
      damaged.push({ id: columns.id, key: columns.key });
    }
  }
  const end = page.at(-1);
  return { streams, damaged, next: end && found.length > limit ? writeListCursor(end) : null };
}

export async function tallyStreams(
  database: Database,
  kind: StreamKind,
  owner: string,
): Promise<Tally[]> {
  if (!isStorable(owner)) return [];
  return database.query<Tally & object>(TALLY, [kind, owner]);
}

const TALLY = `SELECT status AS value, count(*) AS streams, sum(waiting) AS sum FROM belay.streams
  WHERE kind = $1 AND owner = $2 GROUP BY status`;

/** Queries of the same shape have the same text, so they are prepared once. */
class ListSql {
  readonly values: unknown[] = [];
  readonly #conditions: string[] = [];
  #statuses: string | undefined;
  /** True if it asks for a text that cannot be stored. */
  isImpossible = false;

  constructor({ kind, owner, filter }: ListQuery) {
    this.where(`b.kind = ${this.value(kind)}`);
    if (owner !== null) this.#equals("owner", [owner]);
    for (const name of NAMES) {
      const value = filter[name];
      if (value !== undefined) this.#filter(name, value);
    }
  }

  where(condition: string): void {
    this.#conditions.push(condition);
  }

  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Each status has an index in the order of lists; their results are merged. */
  write(limit: number): string {
    const sort = `ORDER BY activity DESC, sid DESC LIMIT ${this.value(limit)}`;
    const where = this.#conditions.join(" AND ");
    const rows = (more: string) => `SELECT * FROM belay.streams b WHERE ${where} ${more} ${sort}`;
    const from = this.#statuses
      ? `unnest(${this.#statuses}::text[]) AS u(status) CROSS JOIN LATERAL (${rows("AND b.status = u.status")})`
      : `(${rows("")})`;
    return `SELECT ${STREAM_COLUMNS}, s.activity FROM ${from} s ${sort.replaceAll(/(activity|sid)/g, "s.$1")}`;
  }

  #filter(name: string, value: FilterValue): void {
    if (typeof value === "string") {
      if (name === "key_prefix") this.#startsWith(value);
      else this.#equals(name, [value]);
    } else if (typeof value === "boolean") {
      this.where(value ? `b.${name} ${FLAGS.has(name) ? "= 1" : "> 0"}` : `b.${name} = 0`);
    } else if ("value" in value) {
      this.where(
        `(b.status <> ${this.value(value.value)} OR b.activity > ${this.value(value.after)})`,
      );
    } else if ("length" in value) {
      this.#equals(name, [...new Set(value)]);
    } else {
      if (value.after !== undefined) this.where(`b.${name} > ${this.value(value.after)}`);
      if (value.before !== undefined) this.where(`b.${name} < ${this.value(value.before)}`);
    }
  }

  #equals(column: string, texts: readonly string[]): void {
    const known = texts.filter(isStorable);
    if (known.length === 0) this.isImpossible = true;
    const values = this.value(known);
    if (column === "status") this.#statuses = values;
    else this.where(`b.${column} = ANY (${values}::text[])`);
  }

  #startsWith(prefix: string): void {
    if (!isStorable(prefix)) this.isImpossible = true;
    else this.where(`starts_with(b.key, ${this.value(prefix)})`);
  }
}

const NAMES = filterNames(SESSION_LISTING);
const FLAGS = new Set<string>(
  Object.entries(SESSION_LISTING.fields).flatMap(([name, kind]) => (kind === "flag" ? [name] : [])),
);

interface ListPosition {
  readonly activity: number;
  readonly sid: number;
}

function writeListCursor({ activity, sid }: ListPosition): string {
  return Buffer.from(`${activity} ${sid}`).toString("base64url");
}

function readListCursor(cursor: string): ListPosition {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, activity, sid] = /^(-?\d{1,22}(?:\.\d{1,20})?) (\d{1,16})$/.exec(text) ?? [];
  if (activity !== undefined && sid !== undefined) {
    return { activity: Number(activity), sid: Number(sid) };
  }
  throw invalidCursor(cursor);
}
