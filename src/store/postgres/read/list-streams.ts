import { SESSION_LISTING } from "../../../contract/stream.ts";
import type { StreamKind } from "../../../contract/vocabulary.ts";
import type { LeaseClock } from "../../lease-rules.ts";
import type { CutPage } from "../../list-bands.ts";
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
  /** The place of its query among the queries. */
  readonly band: number;
}

/**
 * The pages of queries by columns with checked filters, read by one statement: newest first, then the youngest stream
 * first.
 */
export async function listStreams(
  database: Database,
  queries: readonly ListQuery[],
  clock: (now: number | undefined) => LeaseClock,
): Promise<CutPage[]> {
  const values: unknown[] = [];
  const parts = queries.flatMap((query, band) => {
    const part = new ListSql(query, values);
    return part.isImpossible ? [] : [`SELECT ${band} AS band, a.* FROM (${part.write()}) a`];
  });
  const sql = `SELECT ${STREAM_COLUMNS}, s.activity, s.band FROM (${parts.join(" UNION ALL ")}) s
    ORDER BY s.band, s.activity DESC, s.sid DESC`;
  const found = parts.length === 0 ? [] : await database.query<ListColumns>(sql, values);
  return queries.map((_, band) => {
    const rows = found.filter((row) => row.band === band);
    return (limit) => toPage(rows, limit, clock);
  });
}

function toPage(
  found: readonly ListColumns[],
  limit: number,
  clock: (now: number | undefined) => LeaseClock,
): ListPage {
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
  readonly #values: unknown[];
  readonly #limit: number;
  readonly #conditions: string[] = [];
  #statuses: string | undefined;
  #hasStatus = false;
  #isOfAgent = false;
  /** True if it asks for a text that cannot be stored. */
  isImpossible = false;

  constructor({ kind, owner, filter, limit, after }: ListQuery, values: unknown[]) {
    this.#values = values;
    this.#limit = limit;
    this.where(`b.kind = ${this.value(kind)}`);
    if (owner !== null) this.#equals("owner", [owner]);
    for (const name of NAMES) {
      const value = filter[name];
      if (value !== undefined) this.#filter(name, value);
    }
    const last = after === undefined ? undefined : readListCursor(after);
    if (last)
      this.where(`(b.activity, b.sid) < (${this.value(last.activity)}, ${this.value(last.sid)})`);
  }

  where(condition: string): void {
    this.#conditions.push(condition);
  }

  value(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }

  /** The rows of the page and the one after it. Each status has an index in the order of lists; their results are merged. */
  write(): string {
    const sort = `ORDER BY activity DESC, sid DESC LIMIT ${this.value(this.#limit + 1)}`;
    const where = this.#conditions.join(" AND ");
    const rows = (more: string) => `SELECT * FROM belay.streams b WHERE ${where} ${more} ${sort}`;
    const statuses =
      this.#statuses ??
      (this.#isOfAgent && !this.#hasStatus ? `(${this.#writeStatuses(where)})` : null);
    if (statuses === null) return rows("");
    return `SELECT r.* FROM unnest(${statuses}::text[]) AS u(status)
      CROSS JOIN LATERAL (${rows("AND b.status = u.status")}) r ${sort}`;
  }

  /** The statuses that occur, found by one step of the index each. */
  #writeStatuses(where: string): string {
    const next = (more: string) =>
      `SELECT b.status FROM belay.streams b WHERE ${where} ${more} ORDER BY b.status LIMIT 1`;
    return `WITH RECURSIVE t AS (
        (${next("")}) UNION ALL SELECT (${next("AND b.status > t.status")}) FROM t WHERE t.status IS NOT NULL
      ) SELECT array_agg(t.status) FROM t WHERE t.status IS NOT NULL`;
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
    // An index returns the rows of one value in the order of lists, but not those of several.
    if (column === "status") this.#hasStatus = true;
    if (column === "agent" && known.length === 1) this.#isOfAgent = true;
    if (known.length === 1) this.where(`b.${column} = ${this.value(known[0])}`);
    else if (column === "status") this.#statuses = this.value(known);
    else this.where(`b.${column} = ANY (${this.value(known)}::text[])`);
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
