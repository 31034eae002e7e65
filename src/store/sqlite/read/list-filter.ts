import { SESSION_LISTING } from "../../../contract/stream.ts";
import { filterNames } from "../../list-rules.ts";
import type { FilterValue, ListFilter, ListQuery, TimeRange } from "../../stream-store.ts";

/** A condition on a row of `streams`. */
export interface Condition {
  readonly column: string;
  readonly sql: string;
  readonly values: readonly (string | number | Uint8Array)[];
}

/**
 * The conditions of a checked filter, always in the same order, so that equal shapes share one
 * statement.
 */
export function conditionsOf(filter: ListFilter): Condition[] {
  const conditions: Condition[] = [];
  for (const name of NAMES) {
    const value = filter[name];
    if (value !== undefined) conditions.push(...conditionsOn(name, value));
  }
  return conditions;
}

const NAMES = filterNames(SESSION_LISTING);

/** The conditions for the owner and the kind. */
export function scopeOf({ kind, owner }: Pick<ListQuery, "kind" | "owner">): Condition[] {
  return owner === null ? [equals("kind", kind)] : [equals("kind", kind), equals("owner", owner)];
}

export function equals(column: string, value: string): Condition {
  return { column, sql: `${column} = ?`, values: [value] };
}

function conditionsOn(name: string, value: FilterValue): Condition[] {
  if (typeof value === "string") {
    return [name === "key_prefix" ? startsWith(value) : equals(name, value)];
  }
  if (typeof value === "boolean") return [hasAny(name, value)];
  if ("value" in value) return [isRecent(value.value, value.after)];
  return "length" in value ? [isOneOf(name, value)] : isWithin(name, value);
}

/** Separate column names, because no index is chosen by a range. */
function isWithin(column: string, { after, before }: TimeRange): Condition[] {
  const bounds: Condition[] = [];
  if (after !== undefined) {
    bounds.push({ column: `${column} after`, sql: `${column} > ?`, values: [after] });
  }
  if (before !== undefined) {
    bounds.push({ column: `${column} before`, sql: `${column} < ?`, values: [before] });
  }
  return bounds;
}

function isOneOf(column: string, values: readonly string[]): Condition {
  const wanted = [...new Set(values)];
  return { column, sql: `${column} IN (${wanted.map(() => "?").join(", ")})`, values: wanted };
}

/**
 * Written like the partial indexes. Only the positive form has an index; the negative one gets
 * another column name.
 */
function hasAny(name: string, isWanted: boolean): Condition {
  if (!isWanted) return { column: `not ${name}`, sql: `${name} = 0`, values: [] };
  return { column: name, sql: flags.has(name) ? `${name} = 1` : `${name} > 0`, values: [] };
}

const flags = new Set<string>(
  Object.entries(SESSION_LISTING.fields).flatMap(([name, kind]) => (kind === "flag" ? [name] : [])),
);

function startsWith(prefix: string): Condition {
  // No text contains the byte FF, so all texts with the prefix come before this.
  const end = Buffer.concat([Buffer.from(prefix), Buffer.from([0xff])]);
  return { column: "key", sql: "key >= ? AND key < CAST(? AS TEXT)", values: [prefix, end] };
}

function isRecent(status: string, after: number): Condition {
  return {
    column: "recent",
    sql: "(status <> ? OR activity > ?)",
    values: [status, after],
  };
}
